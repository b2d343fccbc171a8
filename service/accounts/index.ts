export { Journal, type Write } from '../records/journal.ts'
export { Access, type AccessOptions } from './access.ts'
export { type AdminAct, type AdminActName, adminActs } from './admin-acts.ts'
export { sameSecret } from './api-key.ts'
export type { Caller, Identified } from './authentication.ts'
export {
  type ChargedCall,
  type ChargedCalls,
  type ChargedWork,
  chargedCalls,
  type Delivery,
  type Payer,
} from './charged-calls.ts'
export { clientNetwork } from './client-networks.ts'
export type { Organization } from './directory.ts'
export { type AccountsExamination, examineAccounts } from './integrity-check.ts'
export type { Draw, Hold } from './ledger.ts'
export type { Agent } from './plans/agents.ts'
export type { Grant, GrantPayment } from './plans/grants.ts'
export { type Meter, meterOf } from './plans/meter.ts'
export {
  defaultPlans,
  type Plan,
  plansFile,
  type ServiceSlug,
  type ShownPlan,
  serviceSlugs,
  shownPlan,
} from './plans/plan.ts'
export {
  type CountByAddress,
  createAccountLimit,
  createAdministratorLimit,
  createKeylessLimit,
  createPaymentLimits,
  createRegistrationLimit,
  DEFAULT_RATE_LIMIT,
  defaultPaymentLimits,
  type KeylessLimits,
  type LimitStanding,
  type PaymentLimits,
} from './rate-limit.ts'
export { fetchSku, type Sku, searchSku, skus, THOUSAND_CREDITS_USD } from './sku.ts'
export { refuseUnderZeroRetention } from './zero-retention.ts'
