import { optionsReader } from '@asof/extract/errors'
import type { Plan } from '../../service/accounts/index.ts'
import type { CallService, ChargedName } from '../../service/index.ts'
import type { GivenWays, ServerParts } from '../../transports/http/ways/index.ts'
import type { Wording } from '../advisor/index.ts'
import { addCatalogRoutes } from '../catalog/catalog-routes.ts'
import type { Payments } from '../payments/index.ts'
import type { MethodName, Purchases } from '../purchases/index.ts'
import type { WalletProof } from '../wallet-proof/index.ts'
import { addAdvisorRoutes } from './advisor-routes.ts'
import { addAgentRoute, addRegistrationRoute } from './agent-routes.ts'
import { callPrice } from './payment-info.ts'
import { planWay } from './plan-way.ts'
import { addCardEventRoute, addPurchaseRefusal, addPurchaseRoute } from './purchase-routes.ts'
import { addReceiptKeyRoute } from './receipt-key-route.ts'
import { addPaymentMetrics, addPurchaseMetrics } from './store-metrics.ts'
import { x402RefusedWay, x402Way } from './x402-way.ts'

/** What a store sells, and how it is paid. Every field has a default. */
export interface StoreSettings {
  /**
   * Receives payments on the `/v1/x402` routes. Default: these routes answer 503. Payments that read regions from the headers
   * of a proxy need a server with `trustProxy`.
   */
  payments?: Payments | undefined
  /** Sells plans to agents. Default: plans can't be bought. */
  purchases?: Purchases | undefined
  /** Answers the calls on plans. Default: the service of the server. */
  service?: CallService<ChargedName> | undefined
  /** Checks the wallets of callers who ask for a quote. Default: quotes are answered with 503. */
  walletProof?: WalletProof | undefined
  /** Rewords the advice of quotes. Default: it is not reworded. */
  wording?: Wording | undefined
}

const readSettings = optionsReader<StoreSettings>({
  payments: 'object',
  purchases: 'object',
  service: 'object',
  walletProof: 'object',
  wording: 'function',
})

/** The plans for sale, and the methods by which they can be bought. Both are empty if plans can't be paid for. */
interface Sale {
  plans: readonly Plan[]
  methods: readonly MethodName[]
}

/** Calls that are each paid for by themselves, and the key of their receipts. */
function paidCalls({ payments }: StoreSettings): GivenWays {
  return {
    check({ trustsProxy }) {
      // The headers would be ignored, and no region would be refused.
      if (payments?.regionHeaders && !trustsProxy)
        throw new TypeError('trustProxy: must be set, because payments read regions from the headers of a proxy')
    },
    add({ groups, service, byAddress, baseUrl, metrics }) {
      if (!payments) return groups.addWay(x402RefusedWay(byAddress))
      groups.addWay(x402Way(service, { payments, byAddress, baseUrl }))
      groups.addOpen(app => addReceiptKeyRoute(app, payments.receipts, baseUrl))
      if (metrics) addPaymentMetrics(metrics, payments.tally)
    },
  }
}

/** What agents use: calls on plans, their registration, advice, and the purchase of plans. */
function addStorefront(
  server: ServerParts,
  access: NonNullable<ServerParts['access']>,
  settings: StoreSettings,
  sale: Sale,
): void {
  const { groups, byAddress, baseUrl, keylessLimits } = server
  const { payments, purchases, walletProof, wording } = settings
  const { plans, methods } = sale
  const service = settings.service ? server.limit(settings.service) : server.service
  groups.addWay(planWay(service, { access, byAddress, plans }))
  groups.addOpen(app => addRegistrationRoute(app, access))
  groups.add(app => addAgentRoute(app, { access, byAddress, purchases }))
  const price = payments && callPrice(payments)
  const advisor = { plans, price, methods, keyless: keylessLimits, walletProof, wording, baseUrl }
  groups.addOpen(app => addAdvisorRoutes(app, advisor))
  if (purchases) {
    groups.add(app => addPurchaseRoute(app, { purchases, access, payments, byAddress, baseUrl }))
    groups.addOpen(app => addCardEventRoute(app, purchases))
  } else groups.addOpen(addPurchaseRefusal)
}

/**
 * Returns the ways in of a store, for the setting `ways` of a server: calls under `/v1/x402` that are each paid for, calls of agents on
 * plans under `/v1/storefront`, the sale of these plans, advice on them, and the catalog. A server without accounts has no plans.
 *
 * @throws ASOF_INVALID_OPTION - a setting is unknown or of the wrong type.
 */
export function store(given?: StoreSettings): readonly GivenWays[] {
  const settings = readSettings(given)
  const agents: GivenWays = {
    add(server) {
      const { groups, access, baseUrl, describe, metrics } = server
      const { purchases } = settings
      // No plan is for sale if plans can't be paid for.
      const sale: Sale = { plans: (purchases && access?.plans) ?? [], methods: (access && purchases?.methods) ?? [] }
      if (access) addStorefront(server, access, settings, sale)
      groups.addOpen(app => addCatalogRoutes(app, { ...sale, describe, baseUrl }))
      if (metrics && purchases) addPurchaseMetrics(metrics, purchases)
    },
  }
  return [paidCalls(settings), agents]
}
