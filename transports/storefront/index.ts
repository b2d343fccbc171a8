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
} from '../service/advisor/index.ts'
export type {
  BoughtPlan,
  CardSettings,
  HeaderLines,
  MppSettings,
  PaymentMethod,
  PlanPayment,
  PlanSales,
  PurchaseAnswer,
  PurchaseCall,
  PurchaseOptions,
  Purchases,
  Receipt,
} from '../service/purchases/index.ts'
export { openPurchases, PurchaseLedger, plansOf } from '../service/purchases/index.ts'
export {
  openWalletProof,
  ProofClaims,
  type ProofTerms,
  type WalletProof,
  type WalletProofParts,
} from '../service/wallet-proof/index.ts'
export { UpstreamFailure, type UpstreamSettings, upstreamService } from '../upstream/index.ts'
