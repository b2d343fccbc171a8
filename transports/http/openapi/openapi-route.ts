import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { varyBy } from '../../negotiation/negotiation.ts'
import { type Administrators, isAdministrator } from '../admission/administrators.ts'
import { type App, failures, type JsonSchema, jsonAnswer, named } from '../schema/route-schema.ts'
import type { OpenApiDocument } from './document.ts'
import { documentFilters, narrowedDocument } from './narrowed-document.ts'

/** An OpenAPI document, as the schema of an answer. */
export const openApi = named('OpenApi', {
  type: 'object',
  properties: { openapi: { const: '3.1.0' }, info: { type: 'object' }, paths: { type: 'object' } },
  required: ['openapi', 'info', 'paths'],
})

/** Returns the schema of a route that describes the server or a part of it, to everybody. */
export function describingRoute<Filters extends z.ZodType>(
  operationId: string,
  summary: string,
  schema: z.ZodType | JsonSchema,
  querystring: Filters,
) {
  return {
    operationId,
    summary,
    security: [],
    querystring,
    responses: {
      200: jsonAnswer('A part of the catalog.', schema),
      ...failures(['invalid_request', 'unsupported_media_type', 'rate_limited', 'internal_error']),
    },
  }
}

const whole = 'Describe all operations, or those that filters select'
const schema = describingRoute('catalog_openapi', whole, openApi, documentFilters)

interface Description {
  /** Describes all routes, when the server is ready. */
  describeAll: () => OpenApiDocument
  /** The same without the routes of administration. */
  describe: () => OpenApiDocument
  /** Who gets the document with the routes of administration. Undefined if there are no such routes. */
  administrators: Administrators | undefined
}

/** Adds `/openapi.json`. The document is made once, because what the server offers does not change while it runs. */
export function addOpenApiRoute(app: App, { describeAll, describe, administrators }: Description): void {
  let all: OpenApiDocument
  // The documents are made before the first request, because making them takes as long as several searches.
  app.addHook('onReady', async () => {
    all = describeAll()
    describe()
  })

  function documentFor(request: FastifyRequest, reply: FastifyReply): OpenApiDocument {
    if (!administrators) return describe()
    varyBy(reply, 'authorization, cookie')
    if (!isAdministrator(request, administrators)) return describe()
    reply.header('cache-control', 'no-store')
    return all
  }
  app.get('/openapi.json', { schema }, async (request, reply) =>
    narrowedDocument(documentFor(request, reply), request.query),
  )
}
