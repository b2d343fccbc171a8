/** `asof/storefront`: sells plans to agents and advises them, for programs that embed a server. */
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
  LevelProofs,
  openWalletProof,
  PostgresProofs,
  type ProofTerms,
  type UsedProofs,
  type WalletProof,
  type WalletProofParts,
} from './wallet-proof/index.ts'
