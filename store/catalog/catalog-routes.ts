import { z } from 'zod'
import { callKinds } from '../../service/accounts/index.ts'
import {
  type App,
  describingRoute,
  failures,
  named,
  type OpenApiDocument,
  openApi,
} from '../../transports/http/ways/index.ts'
import { type CatalogParts, documentOfService, listedServices, manifestOf } from './catalog.ts'
import { manifest, serviceList } from './catalog-schemas.ts'

const none = z.strictObject({})
const schemas = {
  services: describingRoute(
    'catalog_services',
    'List the services and their plans',
    named('ServiceList', serviceList),
    none,
  ),
  manifest: describingRoute(
    'catalog_manifest',
    'Describe the server: services, plans and payment',
    named('Manifest', manifest),
    none,
  ),
}
const service = describingRoute('catalog_service_openapi', 'Describe one service', openApi, none)
const serviceSchema = {
  ...service,
  params: z.strictObject({ slug: z.enum(callKinds) }),
  responses: { ...service.responses, ...failures(['not_found']) },
}

/** The parts that the routes of the catalog use. */
interface Catalog extends Omit<CatalogParts, 'document'> {
  /** Returns the OpenAPI document without the routes of administration, when the server is ready. */
  describe: () => OpenApiDocument
}

/** Adds the catalog. Its answers are made once, because what the server offers does not change while it runs. */
export function addCatalogRoutes(app: App, { describe, ...offered }: Catalog): void {
  function prepare() {
    const parts = { ...offered, document: describe() }
    const documents = callKinds.map(slug => [slug, documentOfService(parts.document, slug)] as const)
    return {
      services: { services: listedServices(parts) },
      manifest: manifestOf(parts),
      documentOf: Object.fromEntries(documents),
    }
  }
  let answers: ReturnType<typeof prepare>
  app.addHook('onReady', async () => {
    answers = prepare()
  })
  app.get('/services', { schema: schemas.services }, async () => answers.services)
  for (const slug of callKinds) {
    const config = { describedAt: '/services/:slug/openapi.json' }
    app.get(`/services/${slug}/openapi.json`, { schema: serviceSchema, config }, async () => answers.documentOf[slug])
  }
  app.get('/manifest.json', { schema: schemas.manifest }, async () => answers.manifest)
}
