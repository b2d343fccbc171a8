import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { z } from 'zod'
import { parameters, securitySchemes } from '../schema/parameters.ts'
import { type Described, type DescribedResponse, type JsonSchema, json, schemaNameOf } from '../schema/route-schema.ts'

/** An operation, as OpenAPI describes it. */
export interface OpenApiOperation {
  operationId: string
  summary: string
  description?: string
  /** An operation without this field needs no credential. */
  security?: readonly object[]
  parameters?: readonly object[]
  /** How the operation can be paid for, in the form of MPP discovery. */
  'x-payment-info'?: object
  requestBody?: object
  responses: Readonly<Record<string, { description: string; headers?: Readonly<Record<string, object>> }>>
}

/** Operations by path, then by method in lower case. */
export type Paths = Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>

/** Components by kind, then by name. */
type Components = Readonly<Record<string, Readonly<Record<string, object>>>>

/** The description of the routes of a server (OpenAPI 3.1). */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { title: string; version: string; description: string; license: object }
  readonly servers: readonly { url: string }[]
  /** The categories and documents of the service, for directories of paid services. */
  readonly 'x-service-info': { categories: readonly string[]; docs: { apiReference: string } }
  readonly paths: Paths
  readonly components: Components
}

/** Returns the JSON Schema of a request (`input`) or of a response (`output`). */
function jsonSchema(schema: Described, io: 'input' | 'output'): JsonSchema {
  if (!(schema instanceof z.ZodType)) return schema
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  return rest
}

/**
 * Moves the defaults of a request's fields into their descriptions. Generators of clients take a field with a `default` for one that
 * is always there, and make it required.
 */
function withStatedDefaults(schema: JsonSchema): JsonSchema {
  const { default: preset, description = '', ...rest } = schema
  const stated = preset === undefined ? '' : `Default: ${typeof preset === 'string' ? preset : JSON.stringify(preset)}.`
  const text = [description, stated].filter(part => part !== '').join(' ')
  const inner = Object.entries(rest).map(([key, value]) => {
    if (key === 'properties')
      return [
        key,
        Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, withStatedDefaults(each)])),
      ]
    if (Array.isArray(value) && /^(?:anyOf|oneOf|allOf)$/.test(key)) return [key, value.map(withStatedDefaults)]
    if (/^(?:items|additionalProperties)$/.test(key) && typeof value === 'object')
      return [key, withStatedDefaults(value as JsonSchema)]
    return [key, value]
  })
  return Object.fromEntries(text === '' ? inner : [['description', text], ...inner])
}

/** Returns how a value is written in a query string: a list with commas, an object as JSON, and never null. */
function writtenAs({ type, ...schema }: JsonSchema): object {
  if (type === 'array') return { style: 'form', explode: false, schema: { type, ...schema } }
  if (type === 'object') return { content: { 'application/json': { schema: withStatedDefaults({ type, ...schema }) } } }
  // A query string can't contain null, and an empty value has the same meaning.
  return { schema: { type: Array.isArray(type) ? 'string' : type, ...schema } }
}

/** Returns the description of the parameters in a query or a path, from the schema that validates them. */
function parametersIn(place: 'query' | 'path', schema: unknown): object[] {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema as Described, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    ...writtenAs(property),
  }))
}

/** Returns headers by name, each with schema and description. */
function headersOf(headers: NonNullable<DescribedResponse['headers']>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description, ...schema }]) => [name, { description, schema }]),
  )
}

/** Collects the schemas that have names. */
class NamedSchemas {
  readonly schemas: Record<string, JsonSchema> = {}

  /**
   * Returns the JSON Schema of a schema, or a reference if the schema has a name. Several schemas are described as
   * alternatives.
   */
  describe(schema: Described | readonly Described[], io: 'input' | 'output'): JsonSchema {
    if (Array.isArray(schema)) return { anyOf: schema.map(each => this.describe(each as Described, io)) }
    const name = schemaNameOf(schema)
    const described = () => {
      const whole = jsonSchema(schema as Described, io)
      return io === 'input' ? withStatedDefaults(whole) : whole
    }
    if (name === undefined) return described()
    this.schemas[name] ??= described()
    return { $ref: `#/components/schemas/${name}` }
  }

  content(content: NonNullable<DescribedResponse['content']>, io: 'input' | 'output'): object {
    return Object.fromEntries(
      Object.entries(content).map(([type, { schema }]) => [type, { schema: this.describe(schema, io) }]),
    )
  }

  operation(operationId: string, schema: FastifySchema): OpenApiOperation {
    const { summary = '', description, security, sharedParameters = [], optionalBody = false } = schema
    const parameters = [
      ...parametersIn('path', schema.params),
      ...sharedParameters.map(name => ({ $ref: `#/components/parameters/${name}` })),
      ...parametersIn('query', schema.querystring),
    ]
    const responses = Object.entries(schema.responses ?? {})
    const bodyContent = schema.bodyContent ?? (schema.body ? json(schema.body as Described) : undefined)
    return {
      operationId,
      summary,
      description,
      security,
      'x-payment-info': schema['x-payment-info'],
      parameters: parameters.length > 0 ? parameters : undefined,
      requestBody: bodyContent && { required: !optionalBody, content: this.content(bodyContent, 'input') },
      responses: Object.fromEntries(
        responses.map(([status, { description, headers, content }]) => [
          status,
          {
            description,
            headers: headers && headersOf(headers),
            content: content && this.content(content, 'output'),
          },
        ]),
      ),
    }
  }
}

function sealNote(sealedAt: number | undefined): string {
  if (sealedAt === undefined) return ''
  return ` This server is sealed: it answers as if it were ${new Date(sealedAt).toISOString()}, refuses later times, and fetches nothing live.`
}

/**
 * Describes the routes that are added from now on.
 *
 * @param parts.baseUrl - public address of the server. Default: addresses are relative to the root.
 * @param parts.sealedAt - the seal of the service, epoch ms. Default: it is not sealed.
 * @returns a function that makes the OpenAPI 3.1 document when the server is ready. It has the routes whose schema has an
 *   `operationId` and is not hidden.
 */
export function describeRoutes(
  app: FastifyInstance,
  { baseUrl, sealedAt }: { baseUrl: string | undefined; sealedAt: number | undefined },
): () => OpenApiDocument {
  const named = new NamedSchemas()
  const parts = {
    openapi: '3.1.0',
    info: {
      title: 'asof',
      version: '1.0.0',
      description: `Web search and page fetch, as of now or any moment in the past.${sealNote(sealedAt)}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl ?? '/' }],
    'x-service-info': {
      categories: ['search', 'web'],
      docs: { apiReference: `${baseUrl ?? ''}/openapi.json` },
    },
  } as const
  const routes: RouteOptions[] = []
  app.addHook('onRoute', route => {
    if (route.method !== 'HEAD' && route.schema?.operationId !== undefined && !route.schema.hide) routes.push(route)
  })
  return () => {
    const paths: Record<string, Record<string, OpenApiOperation>> = {}
    for (const { url, method, config, schema } of routes) {
      if (schema?.operationId === undefined) continue
      const path = (config?.describedAt ?? url).replace(/:(\w+)/g, '{$1}')
      paths[path] = { ...paths[path], [String(method).toLowerCase()]: named.operation(schema.operationId, schema) }
    }
    const all: Components = { securitySchemes, parameters, schemas: named.schemas }
    // JSON drops the fields that are undefined.
    return JSON.parse(
      JSON.stringify({ ...parts, paths, components: referencedComponents(paths, all) }),
    ) as OpenApiDocument
  }
}

/** Returns the components that a part of a document refers to, directly or through other components, as `kind/name`. */
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

/** Returns the components that paths refer to, directly or through other components. */
export function referencedComponents(paths: object, all: Components): Components {
  const found = referencedFrom(paths, all)
  return Object.fromEntries(
    Object.entries(all).flatMap(([kind, members]) => {
      const kept = Object.entries(members).filter(([name]) => found.has(`${kind}/${name}`))
      return kept.length === 0 ? [] : [[kind, Object.fromEntries(kept)]]
    }),
  )
}
