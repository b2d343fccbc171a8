export type { PaidResource, PaymentOffer } from './offer.ts'
export { openPayments, reconcileOnce } from './open-payments.ts'
export {
  exportPayments,
  type PaymentActName,
  paymentActs,
} from './payment-acts.ts'
export { PaymentLedger } from './payment-ledger.ts'
export type { PaymentReceipt } from './payment-order.ts'
export type { PaymentProcessor } from './payment-processor.ts'
export type { PaymentRecord, PaymentState } from './payment-record.ts'
export {
  type FacilitatorSettings,
  type Hex,
  type Network,
  type PaymentSettings,
  type PaymentTerms,
  paymentDefaults,
  type WalletSettings,
} from './payment-settings.ts'
export type { PaymentTally } from './payment-tally.ts'
export type { PaymentParts, Payments } from './payments.ts'
export type { PaidRequest, ReceiptSigner, SignedReceipt } from './receipt-signer.ts'
export type { SweepReport } from './reconciler.ts'
export {
  type CallerLocation,
  CountryDatabaseError,
  type Locate,
  openGeoDatabase,
  type RegionHeaders,
  type RegionSource,
} from './region.ts'
