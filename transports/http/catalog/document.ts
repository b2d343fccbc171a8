import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { z } from 'zod'
import { withoutSlash } from '../request/base-url.ts'
import { parameters, securitySchemes } from '../schema/parameters.ts'
import { type Described, type DescribedResponse, type JsonSchema, nameOf } from '../schema/route-schema.ts'

/** An operation, as OpenAPI describes it. */
export interface Operation {
  operationId: string
  summary: string
  description?: string
  /** An operation without this field needs no credential. */
  security?: readonly object[]
  parameters?: readonly object[]
  requestBody?: object
  responses: Readonly<Record<string, { description: string; headers?: Readonly<Record<string, object>> }>>
}

/** Operations by path, then by method in lower case. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** Components by kind, then by name. */
export type Components = Readonly<Record<string, Readonly<Record<string, object>>>>

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { title: string; version: string; description: string; license: object }
  readonly servers: readonly { url: string }[]
  /** The categories and documents of the service, for directories of paid services. */
  readonly 'x-service-info': { categories: readonly string[]; docs: { apiReference: string } }
  readonly paths: Paths
  readonly components: Components
}

/** The JSON Schema of a request (`input`) or of a response (`output`). */
function jsonSchema(schema: Described, io: 'input' | 'output'): JsonSchema {
  if (!(schema instanceof z.ZodType)) return schema
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  return rest
}

/** A query string has no null. An empty value means the same. */
function withoutNull(query: JsonSchema): JsonSchema {
  const properties = Object.entries((query.properties ?? {}) as Record<string, JsonSchema>)
  return {
    ...query,
    properties: Object.fromEntries(
      properties.map(([name, schema]) => [name, Array.isArray(schema.type) ? { ...schema, type: 'string' } : schema]),
    ),
  }
}

/** The schemas that have names, as they are found in routes. */
class NamedSchemas {
  readonly schemas: Record<string, JsonSchema> = {}

  /** A schema, or a reference to it if it has a name. Several schemas are alternatives. */
  describe(schema: Described | readonly Described[], io: 'input' | 'output'): JsonSchema {
    if (Array.isArray(schema)) return { anyOf: schema.map(each => this.describe(each as Described, io)) }
    const name = nameOf(schema)
    if (name === undefined) return jsonSchema(schema as Described, io)
    this.schemas[name] ??= jsonSchema(schema as Described, io)
    return { $ref: `#/components/schemas/${name}` }
  }

  /** A response in the form of `@fastify/swagger`, which knows one without a body by the type `null`. */
  response({ description, headers, content }: DescribedResponse): JsonSchema {
    if (!content) return { description, headers, type: 'null' }
    const described = Object.entries(content).map(([type, { schema }]) => [
      type,
      { schema: this.describe(schema, 'output') },
    ])
    return { description, headers, content: Object.fromEntries(described) }
  }

  /** The schema of a route with JSON Schema in place of zod. */
  route({ querystring, params, body, response = {}, ...rest }: FastifySchema): FastifySchema {
    const responses = Object.entries(response as Record<string, DescribedResponse>)
    return {
      ...rest,
      querystring: querystring && withoutNull(jsonSchema(querystring as Described, 'input')),
      params: params && jsonSchema(params as Described, 'input'),
      body: body && this.describe(body as Described, 'input'),
      response: Object.fromEntries(responses.map(([status, each]) => [status, this.response(each)])),
    }
  }
}

/** An operation as `@fastify/swagger` makes it, with the marks of its route. */
type MarkedOperation = Operation & Pick<FastifySchema, 'x-parameters' | 'x-body-optional'>

/** Replaces the marks of a route by what they stand for. `@fastify/swagger` knows no shared parameters and no optional bodies. */
function withoutMarks({
  'x-parameters': shared = [],
  'x-body-optional': optional,
  ...operation
}: MarkedOperation): Operation {
  const references = shared.map(name => ({ $ref: `#/components/parameters/${name}` }))
  const all = [...references, ...(operation.parameters ?? [])]
  return {
    ...operation,
    parameters: all.length > 0 ? all : undefined,
    requestBody: optional ? { ...operation.requestBody, required: false } : operation.requestBody,
  }
}

/**
 * Describes the routes that are added from now on.
 *
 * @param baseUrl - public address of the server. Default: addresses are relative to the root.
 * @returns a function that makes the OpenAPI 3.1 document when the server is ready. It has the routes whose schema has an
 *   `operationId` and is not hidden.
 */
export function describeRoutes(app: FastifyInstance, baseUrl: string | undefined): () => OpenApiDocument {
  const named = new NamedSchemas()
  const parts = {
    openapi: '3.1.0',
    info: {
      title: 'asof',
      version: '1.0.0',
      description: 'Web search and page fetch, as of now or any moment in the past.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl ?? '/' }],
    'x-service-info': {
      categories: ['search', 'web'],
      docs: { apiReference: `${withoutSlash(baseUrl ?? '')}/openapi.json` },
    },
  } as const
  app.register(swagger, {
    openapi: { ...parts, servers: [...parts.servers], components: { securitySchemes } },
    convertConstToEnum: false,
    stripBasePath: false,
    transform: ({ schema, url, route }) =>
      schema?.operationId === undefined
        ? { schema: { hide: true }, url }
        : { schema: named.route(schema), url: route.config?.describedAt ?? url },
  })
  return () => {
    const { paths = {} } = app.swagger() as unknown as { paths?: Record<string, Record<string, MarkedOperation>> }
    const finished: Paths = Object.fromEntries(
      Object.entries(paths).map(([path, operations]) => [
        path,
        Object.fromEntries(Object.entries(operations).map(([method, each]) => [method, withoutMarks(each)])),
      ]),
    )
    const all: Components = { securitySchemes, parameters, schemas: named.schemas }
    return { ...parts, paths: finished, components: referencedComponents(finished, all) }
  }
}

/** The components that a part of a document refers to, as `kind/name`, with those that these refer to. */
function referencedFrom(part: unknown, all: Components, found = new Set<string>()): Set<string> {
  if (typeof part !== 'object' || part === null) return found
  for (const [key, value] of Object.entries(part)) {
    if (key === '$ref' && typeof value === 'string') {
      const [kind = '', name = ''] = value.replace('#/components/', '').split('/')
      if (found.has(`${kind}/${name}`)) continue
      found.add(`${kind}/${name}`)
      referencedFrom(all[kind]?.[name], all, found)
    } else if (key === 'security' && Array.isArray(value)) {
      for (const name of value.flatMap(requirement => Object.keys(requirement as object))) {
        found.add(`securitySchemes/${name}`)
      }
    } else {
      referencedFrom(value, all, found)
    }
  }
  return found
}

/** The components that paths refer to, directly or through other components. */
export function referencedComponents(paths: object, all: Components): Components {
  const found = referencedFrom(paths, all)
  return Object.fromEntries(
    Object.entries(all).flatMap(([kind, members]) => {
      const kept = Object.entries(members).filter(([name]) => found.has(`${kind}/${name}`))
      return kept.length === 0 ? [] : [[kind, Object.fromEntries(kept)]]
    }),
  )
}
