import type { Access, CountByAddress, KeylessLimits, Plan } from '../../service/accounts/index.ts'
import type { CallService, ChargedName } from '../../service/index.ts'
import type { MethodName } from '../../service/storefront/purchases/index.ts'
import type { RouteGroups } from './route-groups.ts'
import { addAdvisorRoutes } from './routes/advisor-routes.ts'
import { addCardEventRoute, addPurchaseRefusal, addPurchaseRoute } from './routes/purchase-routes.ts'
import { addAgentRoute, addRegistrationRoute } from './routes/storefront-routes.ts'
import { callPrice } from './schema/payment-info.ts'
import type { HttpSettings } from './settings.ts'
import { storefrontWay } from './ways/storefront.ts'

interface StorefrontParts {
  /** Answers the calls on plans. */
  service: CallService<ChargedName>
  access: Access
  byAddress: CountByAddress
  /** The plans for sale, and the methods by which they can be bought. Empty if plans can't be paid for. */
  plans: readonly Plan[]
  methods: readonly MethodName[]
  keylessLimits: KeylessLimits
  settings: HttpSettings
}

/** Adds what agents use: calls on plans, their registration, advice, and the purchase of plans. */
export function addStorefront(groups: RouteGroups, parts: StorefrontParts): void {
  const { service, access, byAddress, plans, methods, keylessLimits, settings } = parts
  const { payments, purchases, walletProof, quoteWording: wording, baseUrl } = settings
  groups.addWay(storefrontWay(service, { access, byAddress, plans }))
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
