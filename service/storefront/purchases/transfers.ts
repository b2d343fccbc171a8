import { microDollars } from '../../contract/money.ts'
import type { Hex, Payments, PricedPayments } from '../../payments/index.ts'
import type { EarlierOutcome, EarlierSale, Sale, SaleOutcome } from './payment-method.ts'
import type { MethodName } from './plan-sales.ts'

/** Identifies a signed transfer: the chain accepts each nonce of a payer once. */
export function transferId({ from, nonce }: { from: string; nonce: string }): string {
  return `${from}:${nonce}`.toLowerCase()
}

/** Returns the parts of the authorization that {@link transferId} was made from. */
function authorizationOf(id: string): { from: Hex; nonce: Hex } {
  const [from, nonce] = id.split(':')
  return { from: from as Hex, nonce: nonce as Hex }
}

/** Returns the payments of a price in US dollars, such as `4.00`. */
export function paymentsOf(payments: Payments, usd: string): PricedPayments {
  return payments.at(String(microDollars(usd)))
}

/**
 * Takes a signed transfer for a plan. Payments guard it against a second use, also across a crash: until the plan is granted,
 * the same transfer of the same agent for the same plan is answered again without a second charge.
 *
 * @param payment - the transfer as a payment of x402.
 */
export async function takeTransfer(
  payments: Payments,
  method: MethodName,
  { plan, agent, proof, isRepeated, granted }: Sale,
  payment: unknown,
): Promise<SaleOutcome> {
  // A repeated payment may have been settled already, which needs no wallet.
  if (!isRepeated) await payments.ready()
  const request = { method, plan: plan.id, agent }
  const taken = await paymentsOf(payments, plan.price_usd).take({
    ...{ kind: 'purchase', payment, request, delivered: granted },
  })
  if (taken.kind === 'refused') return taken
  const receipts = { x402: taken.receipt }
  if (taken.kind === 'paid') return { kind: 'settled', reference: proof.id, receipts }
  return taken.kind === 'undecided'
    ? { kind: 'undecided', receipts }
    : { kind: 'failed', reason: taken.reason, receipts }
}

/** Finds out from the chain what became of the transfer of an earlier sale, see `PaymentMethod.outcomeOf`. */
export async function transferOutcome(
  payments: Payments,
  method: MethodName,
  { plan, agent, proof }: EarlierSale,
  granted: Promise<boolean>,
): Promise<EarlierOutcome> {
  const outcome = await payments.outcomeOf({
    kind: 'purchase',
    authorization: authorizationOf(proof),
    request: { method, plan: plan.id, agent },
    delivered: granted,
  })
  if (outcome.kind !== 'paid') return outcome
  return { kind: 'settled', reference: proof, receipts: { x402: outcome.receipt } }
}

/** See `PaymentMethod.isUnderWay`. */
export function isTransferUnderWay(payments: Payments, { proof }: EarlierSale): Promise<boolean> {
  return payments.isUnderWay(authorizationOf(proof))
}
