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
  BoughtPlan,
  CardSettings,
  MethodName,
  MppSettings,
  Offers,
  PlanPayment,
  PlanSales,
  PurchaseAnswer,
  PurchaseCall,
  PurchaseOptions,
  Purchases,
  Receipt,
  Receipts,
  SentPayment,
} from './purchases/index.ts'
export { openPurchases, PurchaseLedger, plansOf } from './purchases/index.ts'
export {
  openWalletProof,
  ProofClaims,
  type ProofTerms,
  type WalletProof,
  type WalletProofParts,
} from './wallet-proof/index.ts'
