/** Sells calls and plans, and advises agents. */
export { JournalRecords, type RecordStore } from '../service/records/index.ts'
export {
  type Advice,
  advise,
  type Market,
  type QuoteRequest,
  type QuoteStatus,
  type RateLimits,
  type Wording,
} from './advisor/index.ts'
export {
  type PaymentSetup,
  type PurchaseSetup,
  type RegionSettings,
  type StoreFolder,
  type StoreSetup,
  storePart,
} from './folder/index.ts'
export {
  type CardSettings,
  type MethodName,
  type MppSettings,
  openPurchases,
  type PlanAccess,
  PurchaseLedger,
  type PurchaseOptions,
  type Purchases,
} from './purchases/index.ts'
export {
  openWalletProof,
  type ProofTerms,
  UsedProofs,
  type WalletProof,
  type WalletProofParts,
} from './wallet-proof/index.ts'
export { type StoreSettings, store } from './ways/index.ts'
