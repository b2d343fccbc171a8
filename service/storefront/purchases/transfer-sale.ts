import type { Hex, Payments } from '../../payments/index.ts'
import type { PaymentMethod } from './plan-sales.ts'
import type { EarlierSale, HeaderLines, Outcome, Sale, Settled } from './settlement.ts'
import { tokenAmount } from './token-amount.ts'

/** JSON in the form of the payment headers: base64 with padding. */
export function toHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

/** Identifies a signed transfer: the chain accepts each nonce of a payer once. */
export function transferId({ from, nonce }: { from: string; nonce: string }): string {
  return `${from}:${nonce}`.toLowerCase()
}

/** Returns the parts of the authorization that {@link transferId} was made from. */
function authorizationOf(id: string): { from: Hex; nonce: Hex } {
  const [from, nonce] = id.split(':')
  return { from: from as Hex, nonce: nonce as Hex }
}

/**
 * Settles a signed transfer for a plan with the payments of x402, which guard it against a second use, also across a crash:
 * until the plan is granted, the same transfer of the same agent for the same plan is answered again without a second charge.
 *
 * @param signature - the transfer as a `PAYMENT-SIGNATURE` header.
 */
export async function settleTransfer(
  payments: Payments,
  method: PaymentMethod,
  { plan, agent, proof, isRepeated, granted }: Sale,
  signature: string,
): Promise<Settled> {
  // A repeated payment may have been settled already, which needs no wallet.
  if (!isRepeated) await payments.ready()
  const charged = await payments.at(tokenAmount(plan.price_usd)).charge({
    kind: 'purchase',
    signature,
    request: { method, plan: plan.id, agent },
    // A plan is granted after the transfer, since a grant can't be taken back.
    run: async () => undefined,
    isTooLate: () => false,
    onWalletLimit: () => {},
    delivered: granted,
  })
  switch (charged.kind) {
    case 'paid':
      return { kind: 'settled', reference: proof.id, headers: receiptHeader(charged.receipt) }
    case 'unsettled':
      return { kind: 'failed', reason: charged.reason, headers: receiptHeader(charged.receipt) }
    case 'undecided':
      return { kind: 'undecided', headers: receiptHeader(charged.receipt) }
    case 'refused':
      return charged
    case 'abandoned':
      return { kind: 'refused', reason: 'abandoned' }
  }
}

/** Finds out from the chain what became of the transfer of an earlier sale, see `Settlement.outcomeOf`. */
export async function transferOutcome(
  payments: Payments,
  method: PaymentMethod,
  { plan, agent, proof }: EarlierSale,
  granted: Promise<boolean>,
): Promise<Outcome> {
  const outcome = await payments.outcomeOf({
    kind: 'purchase',
    authorization: authorizationOf(proof),
    request: { method, plan: plan.id, agent },
    delivered: granted,
  })
  if (outcome.kind !== 'paid') return outcome
  return { kind: 'settled', reference: proof, headers: receiptHeader(outcome.receipt) }
}

/** See `Settlement.isUnderWay`. */
export function isTransferUnderWay(payments: Payments, { proof }: EarlierSale): Promise<boolean> {
  return payments.isUnderWay(authorizationOf(proof))
}

function receiptHeader(receipt: object): HeaderLines {
  return { 'payment-response': toHeader(receipt) }
}
