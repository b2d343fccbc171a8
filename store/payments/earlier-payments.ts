import { isKnownError } from '../../crawler/errors.ts'
import { type Authorization, type PaymentOption, parsePayment, paymentId, problemWith } from './offer.ts'
import { type PaymentLedger, unlockAfterDelivery } from './payment-ledger.ts'
import { type PaymentOrder, type SettledOutcome, settledBy } from './payment-order.ts'
import { isSettled, type PaymentRecord } from './payment-record.ts'
import type { Reconciler } from './reconciler.ts'
import { paymentsUnavailable } from './settler.ts'
import type { TransferChain } from './transfer-state.ts'

/** The order of an earlier call, without the signature of its payment. */
interface EarlierOrder extends Pick<PaymentOrder, 'kind' | 'request' | 'delivered'> {
  /** The payer and the nonce, which identify the payment. */
  authorization: Pick<Authorization, 'from' | 'nonce'>
  /**
   * The payment as its sender wrote it, and when it was first presented, epoch ms. If the ledger has no record of it, the chain is asked
   * whether it moved the money. Must be left out unless this order was stored before the transfer could be sent, because anybody
   * can copy a transfer from the chain.
   */
  presented?: { payment: unknown; at: number }
}

/**
 * The outcome of an earlier order. `failed` also stands for an order that was never begun, and for a payment that was used for
 * another order.
 */
type EarlierOutcome = SettledOutcome | { kind: 'failed' | 'undecided' }

export interface EarlierPaymentsParts {
  option: PaymentOption
  ledger: PaymentLedger
  chain: TransferChain
  reconciler: Reconciler
  now: () => number
  /** Called with failures that did not prevent an answer. */
  onFailure: (failure: unknown) => void
}

/** Finds out what became of the payments of earlier orders. Sends nothing to the chain. */
export class EarlierPayments {
  readonly #parts: EarlierPaymentsParts

  constructor(parts: EarlierPaymentsParts) {
    this.#parts = parts
  }

  /**
   * Looks up the outcome of an earlier order on the chain, which needs no signature.
   *
   * @throws ServiceError payments_unavailable - the node is not available.
   */
  async lookUp(order: EarlierOrder): Promise<EarlierOutcome> {
    const { kind, authorization, request, delivered } = order
    const { option, ledger } = this.#parts
    const id = paymentId(option.network, option.asset, authorization)
    if (!(await ledger.lock(id))) return { kind: 'undecided' }
    let outcome: EarlierOutcome | undefined
    try {
      const record = (await this.recordOf(id)) ?? (await this.#unrecorded(id, order))
      const isOwn = record?.request === ledger.fingerprint(kind, request)
      if (!isOwn || record.state === 'failed') outcome = { kind: 'failed' }
      else if (isSettled(record)) outcome = settledBy(record)
      else outcome = { kind: 'undecided' }
      return outcome
    } finally {
      if (outcome?.kind === 'settled') void unlockAfterDelivery(id, delivered, this.#parts)
      else await ledger.unlock(id)
    }
  }

  /**
   * Looks for the transfer of an order of which the ledger has no record. The ledger may be that of a backup, which was made after
   * the order was stored and before its transfer was sent. Stores and returns the record of a transfer that was sent.
   *
   * @throws ServiceError payments_unavailable - the node is not available.
   */
  async #unrecorded(id: string, { kind, request, presented }: EarlierOrder): Promise<PaymentRecord | undefined> {
    const { option, ledger, chain, now } = this.#parts
    const payment = presented && parsePayment(presented.payment)
    if (!payment || problemWith(option, payment, presented.at) !== undefined) return undefined
    const { from: payer, nonce, validBefore } = payment.payload.authorization
    const { network, asset, payTo, amount } = option
    const transfer = { network, asset, payer, payTo, amount, nonce, validBefore }
    try {
      // Most such orders were never sent, which the node says without a search.
      const { kind: use } = await chain.stateOf({ ...transfer, sinceBlock: await chain.height() })
      if (use === 'unused' || use === 'expired') return undefined
      const sinceBlock = await chain.heightAt(presented.at)
      const found = await chain.stateOf({ ...transfer, sinceBlock })
      if (found.kind === 'spent') return undefined
      const record = {
        ...transfer,
        id,
        kind,
        request: ledger.fingerprint(kind, request),
        heldAt: presented.at,
        sinceBlock,
      }
      const decided: PaymentRecord =
        found.kind === 'settled'
          ? { ...record, state: 'settled', settledAt: now(), transaction: found.transaction }
          : { ...record, state: 'undecided', reason: 'interrupted' }
      await ledger.save(decided)
      return decided
    } catch (cause) {
      throw isKnownError(cause) ? cause : paymentsUnavailable(cause)
    }
  }

  /**
   * Returns true if the transfer of an earlier order is on the chain or waits for its block, so that it need not be sent.
   *
   * @throws ServiceError payments_unavailable - the node is not available.
   */
  async isUnderWay(authorization: EarlierOrder['authorization']): Promise<boolean> {
    const { option, ledger, chain } = this.#parts
    const id = paymentId(option.network, option.asset, authorization)
    if (await ledger.isLocked(id)) return true
    const record = await ledger.find(id)
    if (!record) return false
    try {
      const { kind } = await chain.stateOf(record)
      return kind === 'settled' || kind === 'unconfirmed' || (await this.isPending(record))
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
  }

  /** Returns the record of an earlier order with a payment, updated from the chain. Returns undefined if no earlier order used the payment. */
  async recordOf(id: string): Promise<PaymentRecord | undefined> {
    const { ledger, reconciler } = this.#parts
    const found = await ledger.find(id)
    // Nothing was sent for a payment that was only held.
    if (!found || found.state === 'held') return undefined
    if (found.state === 'settled') return found
    try {
      return await reconciler.update(found)
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
  }

  /** Returns true if an earlier order has sent the transfer and no block has it yet, so that it need not be sent again. */
  async isPending(before: PaymentRecord | undefined): Promise<boolean> {
    if (before?.transaction === undefined) return false
    try {
      return await this.#parts.chain.isPending(before.transaction)
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
  }
}
