export type { RecordStore } from '../../service/records/index.ts'
export { JournalRecords, PostgresRecords, type PostgresRecordsOptions } from '../../service/records/index.ts'
export type { PaidResource, PaymentOffer, PaymentOption } from './offer.ts'
export { openPayments, reconcileOnce } from './open-payments.ts'
export {
  exportPayments,
  type PaymentAct,
  type PaymentActName,
  type PaymentBooks,
  paymentActs,
} from './payment-acts.ts'
export { PaymentLedger } from './payment-ledger.ts'
export type { PaymentOrder, PaymentOutcome, PaymentReceipt } from './payment-order.ts'
export type { CallOrder, CallOutcome, PaymentProcessor } from './payment-processor.ts'
export type { PaidKind, PaymentRecord, PaymentState } from './payment-record.ts'
export {
  chainIdOf,
  type FacilitatorSettings,
  type Hex,
  type Network,
  type PaymentSettings,
  type PaymentTerms,
  paymentDefaults,
  type WalletSettings,
} from './payment-settings.ts'
export type { PaymentCount, PaymentTally } from './payment-tally.ts'
export type { PaymentParts, Payments } from './payments.ts'
export type { Delivery, PaidRequest, ReceiptSigner, SignedReceipt } from './receipt-signer.ts'
export type { SweepReport } from './reconciler.ts'
export {
  type CallerLocation,
  CountryDatabaseError,
  type Locate,
  openGeoDatabase,
  type RegionHeaders,
  type RegionSource,
} from './region.ts'
