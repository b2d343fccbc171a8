import type { Access, Plan } from '../../service/accounts/index.ts'
import type { PaymentReceipt } from '../payments/index.ts'

/** The methods by which a plan can be bought. */
export type MethodName = 'x402' | 'mpp' | 'card'

/** Identifies the payment for a plan. */
export interface PlanPayment {
  method: MethodName
  /** Unique for its method, without slashes. */
  reference: string
}

/** The receipt of a purchase, with wire names. */
export interface PurchaseReceipt {
  plan: string
  grant: string
  units: number
  starts_at: string
  /** Null if the plan does not end. */
  ends_at: string | null
  payment: PlanPayment
}

/** The receipts of the payment for a plan, by protocol. */
export interface PaymentReceipts {
  x402?: PaymentReceipt
  mpp?: string
}

/** The buyer, the plan and the payment of a purchase. */
export interface PurchaseTerms {
  method: MethodName
  /** The id of the proof of payment, see `PaymentMethod.proofIn`. */
  proof: string
  /** The id of the agent that buys. */
  agent: string
  /**
   * The plan as it was at the first call. Repeated calls buy it with these terms, even if the plan was changed or withdrawn.
   */
  plan: Plan
  /** The hash of the idempotency key. */
  key?: string
  /** When the payment was first presented, epoch ms. */
  at: number
}

/** A purchase whose payment is not known to have settled. */
export interface OpenPurchase extends PurchaseTerms {
  /** The payment as it was sent, so that the purchase can be completed without its agent presenting it again. */
  payment: unknown
  receipt?: undefined
}

/** A purchase whose payment has settled and whose plan was granted. */
export interface CompletePurchase extends PurchaseTerms {
  receipt: PurchaseReceipt
  paymentReceipts: PaymentReceipts
  /** True if the agent got the whole answer with the receipt. */
  isReceiptSent: boolean
}

export type Purchase = OpenPurchase | CompletePurchase

/** The part of the accounts that purchases use: the plans for sale, and the plans that agents have. */
export type PlanAccess = Pick<Access, 'plans' | 'checkRoom' | 'isUsable' | 'grantPlan' | 'refundPlan'>
