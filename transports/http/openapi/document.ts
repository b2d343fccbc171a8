import type { Plan } from '../../../service/accounts/index.ts'
import type { PaymentMethod } from '../../../service/storefront/purchases/index.ts'
import { adminPaths } from './admin.ts'
import { guidePaths, quotePaths } from './advisor.ts'
import { catalogPaths } from './catalog.ts'
import { type Components, components, referencedComponents } from './components.ts'
import { healthPaths } from './health.ts'
import { keyedPaths } from './keyed.ts'
import { keylessPaths } from './keyless.ts'
import { mcpPaths } from './mcp.ts'
import type { Paths } from './operation.ts'
import { type PaymentInfo, planOffers } from './payment-info.ts'
import { purchasePaths } from './purchases.ts'
import { storefrontPaths } from './storefront.ts'
import { x402Paths } from './x402.ts'

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { title: string; version: string; description: string; license: object }
  readonly servers: readonly { url: string }[]
  /** The categories and documents of the service, for directories of paid services. */
  readonly 'x-service-info': { categories: readonly string[]; docs: { apiReference: string } }
  readonly paths: Paths
  readonly components: Components
}

/** What a server offers. A part that is left out is not described. */
export interface DocumentOptions {
  /** Public address of the server. Default: addresses are relative to the root. */
  baseUrl?: string
  /** True if the server has keyed routes. */
  keyed?: boolean
  /** The price of a call on the paid routes; present if the server receives payments. */
  price?: Pick<PaymentInfo, 'amount' | 'currency'>
  /** True if it has the routes of administration. */
  admin?: boolean
  /** True if it answers agents at `/mcp`. */
  mcp?: boolean
  /** True if it serves search and fetch on plans, registers agents, and has the guide of the advisor. */
  storefront?: boolean
  /** The methods by which plans can be bought. Default: plans can't be bought. */
  purchases?: readonly PaymentMethod[]
  /** True if the advisor answers quotes. */
  quotes?: boolean
  /** The plans for sale. Default: none. */
  plans?: readonly Plan[]
}

function pathsOf({ keyed, price, admin, mcp, storefront, purchases, quotes, plans = [] }: DocumentOptions): Paths {
  const callOffers: PaymentInfo[] = price ? [{ intent: 'charge', method: 'evm', ...price }] : []
  return {
    ...keylessPaths,
    ...(keyed && keyedPaths),
    ...(price && x402Paths(callOffers)),
    ...(mcp && mcpPaths(keyed ? [{ ApiKey: [] }, { BearerKey: [] }] : [])),
    ...(storefront && storefrontPaths),
    ...(storefront && guidePaths),
    ...(purchases && purchasePaths(plans, planOffers(plans, price?.currency, purchases.includes('card')))),
    ...(quotes && quotePaths),
    ...catalogPaths,
    ...(admin && adminPaths),
    ...healthPaths,
  }
}

/** The OpenAPI 3.1 document of a server, derived from the schemas that validate its requests. */
export function openApiDocument(options: DocumentOptions): OpenApiDocument {
  const paths = pathsOf(options)
  return {
    openapi: '3.1.0',
    info: {
      title: 'asof',
      version: '1.0.0',
      description: 'Web search and page fetch, as of now or any moment in the past.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.baseUrl ?? '/' }],
    'x-service-info': {
      categories: ['search', 'web'],
      docs: { apiReference: `${(options.baseUrl ?? '').replace(/\/$/, '')}/openapi.json` },
    },
    paths,
    components: referencedComponents(paths, components),
  }
}
