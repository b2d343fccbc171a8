/** `asof/store`: sells calls and plans and advises agents, for programs that embed a server. */
export {
  JournalRecords,
  PostgresRecords,
  type PostgresRecordsOptions,
  type RecordStore,
} from '../service/records/index.ts'
export {
  type Advice,
  advise,
  type Market,
  type QuoteRequest,
  type QuoteResponse,
  quoteRequest,
  quoteResponse,
  type Wording,
  wordingOf,
} from './advisor/index.ts'
export {
  type PaymentDays,
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
  type Offers,
  openPurchases,
  type PaymentReceipts,
  type PlanAccess,
  type PlanPayment,
  type PurchaseAnswer,
  type PurchaseCall,
  PurchaseLedger,
  type PurchaseOptions,
  type PurchaseReceipt,
  type Purchases,
  type SentPayment,
} from './purchases/index.ts'
export {
  openWalletProof,
  type ProofTerms,
  UsedProofs,
  type WalletProof,
  type WalletProofParts,
} from './wallet-proof/index.ts'
export { type StoreSettings, store } from './ways/index.ts'
