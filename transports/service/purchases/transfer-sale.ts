import type { Payments } from '../payments/index.ts'
import type { PaymentMethod } from './plan-sales.ts'
import type { HeaderLines, Sale, Settled } from './settlement.ts'
import { tokenAmount } from './token-amount.ts'

/** JSON in the form of the payment headers: base64 with padding. */
export function toHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

/** Identifies a signed transfer: the chain accepts each nonce of a payer once. */
export function transferId({ from, nonce }: { from: string; nonce: string }): string {
  return `${from}:${nonce}`.toLowerCase()
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
      // An earlier attempt may have used it a moment ago, in a block whose events the node does not have yet.
      return isRepeated && charged.reason === 'invalid_exact_evm_nonce_already_used'
        ? { kind: 'undecided', headers: {} }
        : charged
    case 'abandoned':
      return { kind: 'refused', reason: 'abandoned' }
  }
}

function receiptHeader(receipt: object): HeaderLines {
  return { 'payment-response': toHeader(receipt) }
}
