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
export type {
  CardSettings,
  MethodName,
  MppSettings,
  Offers,
  PaymentReceipts,
  PlanAccess,
  PlanPayment,
  PurchaseAnswer,
  PurchaseCall,
  PurchaseOptions,
  PurchaseReceipt,
  Purchases,
  SentPayment,
} from './purchases/index.ts'
export { openPurchases, PurchaseLedger } from './purchases/index.ts'
export {
  openWalletProof,
  type ProofTerms,
  UsedProofs,
  type WalletProof,
  type WalletProofParts,
} from './wallet-proof/index.ts'
