import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callKinds } from '../../../service/accounts/index.ts'
import { varyBy } from '../../negotiation/negotiation.ts'
import { type Administrators, isAdministrator } from '../admission/administrators.ts'
import { type App, failures, type JsonSchema, jsonAnswer, named } from '../schema/route-schema.ts'
import { type CatalogParts, documentOfService, listedServices, manifestOf } from './catalog.ts'
import { documentFilters, manifest, serviceList } from './catalog-schemas.ts'
import type { OpenApiDocument } from './document.ts'
import { narrowedDocument, publicDocument } from './narrowed-document.ts'

const openApi = named('OpenApi', {
  type: 'object',
  properties: { openapi: { const: '3.1.0' }, info: { type: 'object' }, paths: { type: 'object' } },
  required: ['openapi', 'info', 'paths'],
})

function describe<Filters extends z.ZodType>(
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

const none = z.strictObject({})
const whole = 'Describe all operations, or those that filters select'
const schemas = {
  document: describe('catalog_openapi', whole, openApi, documentFilters),
  services: describe('catalog_services', 'List the services and their plans', named('ServiceList', serviceList), none),
  manifest: describe(
    'catalog_manifest',
    'Describe the server: services, plans and payment',
    named('Manifest', manifest),
    none,
  ),
}
const service = describe('catalog_service_openapi', 'Describe one service', openApi, none)
const serviceSchema = {
  ...service,
  params: z.strictObject({ slug: z.enum(callKinds) }),
  responses: { ...service.responses, ...failures(['not_found']) },
}

/** The parts that the routes of the catalog use. */
interface Catalog extends Omit<CatalogParts, 'document'> {
  /** Describes all routes, when the server is ready. */
  describeAll: () => OpenApiDocument
  /** Who gets the document with the routes of administration. Undefined if there are no such routes. */
  administrators: Administrators | undefined
}

/** Adds the catalog. Its answers are made once, because what the server offers does not change while it runs. */
export function addCatalogRoutes(app: App, { describeAll, administrators, ...offered }: Catalog): void {
  function prepare() {
    const all = describeAll()
    const parts = { ...offered, document: publicDocument(all) }
    const documents = callKinds.map(slug => [slug, documentOfService(parts.document, slug)] as const)
    return {
      all,
      document: parts.document,
      services: { services: listedServices(parts) },
      manifest: manifestOf(parts),
      documentOf: Object.fromEntries(documents),
    }
  }
  let answers: ReturnType<typeof prepare>
  // The documents are made before the first request, because making them takes as long as several searches.
  app.addHook('onReady', async () => {
    answers = prepare()
  })

  function documentFor(request: FastifyRequest, reply: FastifyReply): OpenApiDocument {
    if (!administrators) return answers.document
    varyBy(reply, 'authorization, cookie')
    if (!isAdministrator(request, administrators)) return answers.document
    reply.header('cache-control', 'no-store')
    return answers.all
  }
  app.get('/openapi.json', { schema: schemas.document }, async (request, reply) =>
    narrowedDocument(documentFor(request, reply), request.query),
  )
  app.get('/services', { schema: schemas.services }, async () => answers.services)
  for (const slug of callKinds) {
    const config = { describedAt: '/services/:slug/openapi.json' }
    app.get(`/services/${slug}/openapi.json`, { schema: serviceSchema, config }, async () => answers.documentOf[slug])
  }
  app.get('/manifest.json', { schema: schemas.manifest }, async () => answers.manifest)
}
