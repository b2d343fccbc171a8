import { type CallKind, callKinds, meterOf, type Plan, shownPlan } from '../../service/accounts/index.ts'
import { documentOf, type OpenApiDocument, operationsOf } from '../../transports/http/ways/index.ts'
import type { MethodName } from '../purchases/index.ts'
import type { ListedService, ServerManifest } from './catalog-schemas.ts'

/** The sources of the catalog. */
export interface CatalogParts {
  /** The document without the routes of administration. */
  document: OpenApiDocument
  /** The plans for sale. Empty if plans can't be paid for. */
  plans: readonly Plan[]
  /** The methods by which plans can be bought. */
  methods: readonly MethodName[]
  /** Public address of the server. Default: links are relative to the root. */
  baseUrl?: string | undefined
}

const texts: Readonly<Record<CallKind, { title: string; description: string }>> = {
  search: { title: 'Web search', description: 'Ranked pages for a query, as of now or any moment in the past.' },
  fetch: { title: 'Page fetch', description: 'One page as Markdown, from the index or from its site.' },
}

function linkFrom(baseUrl: string | undefined) {
  return (path: string) => `${baseUrl ?? ''}${path}`
}

function operationsOfService(document: OpenApiDocument, kind: CallKind) {
  return operationsOf(document).filter(({ path }) => path === `/v1/storefront/${kind}`)
}

/** Returns the document with the storefront's routes of one kind of call. */
export function documentOfService(document: OpenApiDocument, kind: CallKind): OpenApiDocument {
  return documentOf(document, operationsOfService(document, kind))
}

/** Returns the services with their routes and the plans that cover them. */
export function listedServices(parts: CatalogParts): ListedService[] {
  const { document, plans, baseUrl } = parts
  const link = linkFrom(baseUrl)
  return callKinds.map(slug => {
    const covering = plans.filter(({ services }) => services.includes(slug))
    return {
      slug,
      ...texts[slug],
      meter: meterOf(covering),
      routes: operationsOfService(document, slug).map(({ method, path, operation }) => ({
        method: method.toUpperCase(),
        path,
        operation_id: operation.operationId,
      })),
      plans: covering.map(({ id }) => id),
      openapi: link(`/services/${slug}/openapi.json`),
    }
  })
}

/** Returns the description of the server as a whole. */
export function manifestOf(parts: CatalogParts): ServerManifest {
  const { document, plans, methods, baseUrl } = parts
  const link = linkFrom(baseUrl)
  const { paths } = document
  const registers = paths['/storefront/agents'] !== undefined
  const paysCalls = paths['/v1/x402/search'] !== undefined
  const services = listedServices(parts)
  return {
    name: document.info.title,
    version: document.info.version,
    base_url: baseUrl,
    description: document.info.description,
    services,
    meters: services.map(({ slug, meter }) => ({ service: slug, ...meter })),
    plans: plans.map(shownPlan),
    authentication: registers
      ? {
          scheme: 'bearer',
          header: 'Authorization: Bearer ACCESS_TOKEN',
          registration: { method: 'POST', url: link('/storefront/agents'), price_usd: '0' },
        }
      : undefined,
    payment_methods: [...new Set<MethodName>(paysCalls ? ['x402', ...methods] : methods)],
    links: { openapi: link('/openapi.json'), services: link('/services'), docs: link('/openapi.json') },
  }
}
