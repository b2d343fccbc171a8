export { Journal, type Write } from '../records/journal.ts'
export { Access, type AccessOptions } from './access.ts'
export { type Sku, skus, THOUSAND_CREDITS_USD } from './account.ts'
export { type AdminAct, type AdminActName, adminActs } from './admin-acts.ts'
export { sameSecret } from './api-key.ts'
export type { Caller, Identified } from './authentication.ts'
export {
  type BillingAccount,
  type CallContext,
  type ChargedCall,
  type ChargedCalls,
  chargedCalls,
} from './charged-calls.ts'
export type { Organization } from './directory.ts'
export { type AccountsExamination, examineAccounts } from './integrity-check.ts'
export type { CallCharge, Hold } from './ledger.ts'
export type { Agent } from './plans/agents.ts'
export type { Grant, GrantPayment } from './plans/grants.ts'
export { type Meter, meterOf } from './plans/meter.ts'
export {
  type CallKind,
  callKinds,
  defaultPlans,
  type Plan,
  plansFile,
  type ShownPlan,
  shownPlan,
} from './plans/plan.ts'
export {
  type CountByAddress,
  clientNetwork,
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
