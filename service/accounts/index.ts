export { type CallKind, callKinds, type Sku, skus } from '../contract/sku.ts'
export { Access, type AccessOptions } from './access.ts'
export type { AccountsExamination } from './accounts-examination.ts'
export { adminActs } from './admin-acts.ts'
export { type AdminActName, type AdminAnswer, adminAnswers } from './admin-schemas.ts'
export { sameSecret } from './api-key.ts'
export type { AuditRecord } from './audit-record.ts'
export type { Caller, Identified } from './authentication.ts'
export {
  type AskedBy,
  answerBatchOnAccount,
  answerOnAccount,
  type BillingAccount,
  type ChargedCall,
} from './charged-calls.ts'
export { type CallCharge, type Hold, THOUSAND_CREDITS_USD } from './ledger.ts'
export { examineAccounts } from './level/integrity-check.ts'
export type { Organization } from './organization.ts'
export type { Agent } from './plans/agent.ts'
export type { Grant, GrantPayment } from './plans/grant.ts'
export { meterOf } from './plans/meter.ts'
export { defaultPlans, type Plan, planAnswer, plansFile, shownPlan } from './plans/plan.ts'
export { examineSharedAccounts } from './postgres/integrity-check.ts'
export { type MovedAccounts, moveAccounts } from './postgres/move-accounts.ts'
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
