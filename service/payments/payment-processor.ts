import type { LimitStanding } from '../accounts/index.ts'
import { type PaymentOption, problemWith } from './offer.ts'
import { type Authorization, readPayment, type SignedPayment } from './payment-header.ts'
import type { PaymentLedger } from './payment-ledger.ts'
import { type PaidKind, type PaymentRecord, paymentId } from './payment-record.ts'
import type { Hex, Network } from './payment-settings.ts'
import type { Reconciler } from './reconciler.ts'
import { paymentsUnavailable, type Settlement, type Settler } from './settler.ts'
import type { TransferChain } from './transfer-state.ts'

/** A call that comes with a payment. */
export interface PaidCall<Request extends object, Answer> {
  kind: PaidKind
  /** The `PAYMENT-SIGNATURE` header. */
  signature: string
  /** A checked request: nobody pays for a request that can't be answered. */
  request: Request
  /** Runs the request. @throws ServiceError - then nothing is charged. */
  run: (request: Request) => Promise<Answer>
  /** Returns true if the caller has disconnected or already got another answer. Then nothing is charged. */
  isTooLate: () => boolean
  /** Called with the rate limit of the payer's wallet, after the payment was verified. */
  onWalletLimit: (standing: LimitStanding) => void
  /** Resolves with true when the answer was sent completely, or with false if it will not be. */
  delivered: Promise<boolean>
}

/** The content of the `PAYMENT-RESPONSE` header. */
export interface PaymentReceipt {
  success: boolean
  errorReason?: string
  transaction: string
  network: Network
  payer: Hex
}

export type Charged<Answer> =
  /** The payment is on the chain; the answer can be sent. */
  | { kind: 'paid'; answer: Answer; receipt: PaymentReceipt }
  /** The payment is not valid for this call; nothing was done. The reason is a term of the protocol. */
  | { kind: 'refused'; reason: string }
  /** The request ran but the payment failed; the answer is withheld. */
  | { kind: 'unsettled'; reason: string; receipt: PaymentReceipt }
  /** The request ran and it is not known yet whether the payment succeeded; the caller can retry with the same payment. */
  | { kind: 'undecided'; receipt: PaymentReceipt }
  /** The caller went away before anything was charged. */
  | { kind: 'abandoned' }

/** A call that was charged, or begun to be charged, earlier. */
export interface EarlierCall {
  kind: PaidKind
  /** The payer and the nonce of its payment. */
  authorization: Pick<Authorization, 'from' | 'nonce'>
  request: object
  /** Resolves with true when what was paid for was given, or with false if it will not be. */
  delivered: Promise<boolean>
}

export type PaymentOutcome =
  /** The payment is on the chain. */
  | { kind: 'paid'; receipt: PaymentReceipt }
  /** The payment is not on the chain, and nothing that was sent can bring it there; or it served something else. */
  | { kind: 'unpaid' }
  /** The payment may get on the chain. */
  | { kind: 'undecided' }

/** Reasons to refuse a payment that may be due to the transfer that an earlier call sent, or to the time since. */
const dueToEarlier = /_(?:valid_before|insufficient_balance|nonce_already_used|simulation_failed)$/

export interface PaymentProcessorParts {
  option: PaymentOption
  ledger: PaymentLedger
  settler: Settler
  chain: TransferChain
  reconciler: Reconciler
  reconcileMs: number
  limitWallet: (wallet: string) => Promise<LimitStanding>
  now: () => number
  /** Called with failures that did not prevent an answer. */
  onFailure: (failure: unknown) => void
}

function receiptOf({ network, payer }: PaymentRecord, transaction: string): PaymentReceipt {
  return { success: true, transaction, network, payer }
}

function failureReceipt({ network, payer, transaction }: PaymentRecord, errorReason: string): PaymentReceipt {
  return { success: false, errorReason, transaction: transaction ?? '', network, payer }
}

/**
 * Processes payments. A payment serves one request, is charged when that request has succeeded, and is never charged twice
 * (spec E7).
 *
 * Invariants, even if the process is killed between any two steps: before a transfer is sent to the chain, the disk records
 * that it may be sent; no answer is sent before its transfer is on the chain; a payment that is on the chain but whose answer
 * was not sent still serves the same request, and no other.
 */
export class PaymentProcessor {
  readonly #parts: PaymentProcessorParts

  constructor(parts: PaymentProcessorParts) {
    this.#parts = parts
  }

  /**
   * Runs a call and charges its payment.
   *
   * @throws ServiceError rate_limited | payments_unavailable - nothing was charged.
   * @throws what `run` throws; nothing was charged.
   */
  async charge<Request extends object, Answer>(call: PaidCall<Request, Answer>): Promise<Charged<Answer>> {
    const { option, ledger } = this.#parts
    const payment = readPayment(call.signature)
    if (!payment) return this.#refused('invalid_payload')
    const id = paymentId(option.network, option.asset, payment.payload.authorization)
    if (!ledger.lock(id)) return this.#refused('payment_already_used')
    let charged: Charged<Answer> | undefined
    try {
      charged = await this.#chargeLocked(call, { id, payment })
      return charged
    } finally {
      // A charged payment stays locked until its answer is sent; only then is it known whether it still owes an answer.
      if (charged?.kind === 'paid') void this.#afterDelivery(id, call.delivered)
      else ledger.unlock(id)
    }
  }

  async #chargeLocked<Request extends object, Answer>(
    call: PaidCall<Request, Answer>,
    { id, payment }: { id: string; payment: SignedPayment },
  ): Promise<Charged<Answer>> {
    const { option, ledger, settler, limitWallet, now } = this.#parts
    const { authorization } = payment.payload
    const { request } = call
    const fingerprint = ledger.fingerprint(call.kind, request)
    const before = await this.#countingOutage(this.#before(id))
    // The signature was verified when the payment was charged. It is public on the chain since then, so the caller must also
    // repeat the request that was paid for.
    if (before?.state === 'settled' && before.deliveredAt === undefined && before.request === fingerprint) {
      return { kind: 'paid', answer: await call.run(request), receipt: receiptOf(before, before.transaction ?? '') }
    }
    if (before?.state === 'settled' || before?.state === 'failed') {
      return this.#refused('payment_already_used')
    }

    const refused = (reason: string): Charged<Answer> =>
      before && dueToEarlier.test(reason)
        ? { kind: 'undecided', receipt: failureReceipt(before, 'settlement_pending') }
        : this.#refused(reason)
    // After the check above, because the price may have changed since an unanswered payment was settled.
    const problem = problemWith(option, payment, now())
    if (problem !== undefined) return refused(problem)
    const [reason, height, isSent] = await this.#countingOutage(
      Promise.all([settler.verify(payment), this.#height(), this.#isPending(before)]),
    )
    if (reason !== undefined) return refused(reason)
    // Counted only now that the payer is verified, so that nobody can use up the limit of another wallet.
    const standing = await limitWallet(authorization.from.toLowerCase())
    call.onWalletLimit(standing)
    if (standing.refusal) throw standing.refusal
    // If an earlier attempt is resumed, its transfer may be in an earlier block.
    const sinceBlock = before?.sinceBlock ?? height
    const record: PaymentRecord = {
      id,
      state: 'reserved',
      kind: call.kind,
      request: fingerprint,
      network: option.network,
      asset: option.asset,
      payer: authorization.from,
      payTo: option.payTo,
      amount: option.amount,
      nonce: authorization.nonce,
      validBefore: authorization.validBefore,
      reservedAt: before?.reservedAt ?? now(),
      sinceBlock,
      ...(before?.transaction !== undefined && { transaction: before.transaction }),
    }
    await ledger.save(before ? { ...record, state: 'unknown' } : record)
    const release = () => (before ? ledger.save(before) : ledger.release(record))
    let answer: Answer
    try {
      answer = await call.run(request)
    } catch (error) {
      await release()
      throw error
    }
    if (call.isTooLate()) {
      await release()
      return { kind: 'abandoned' }
    }
    return await this.#settle(payment, { ...record, state: 'served' }, { answer, release, before, isSent })
  }

  /**
   * Finds out from the chain what became of the payment of an earlier call. Sends nothing to the chain, and needs no
   * signature.
   *
   * @throws ServiceError payments_unavailable - the node is not available.
   */
  async outcomeOf({ kind, authorization, request, delivered }: EarlierCall): Promise<PaymentOutcome> {
    const { option, ledger } = this.#parts
    const id = paymentId(option.network, option.asset, authorization)
    if (!ledger.lock(id)) return { kind: 'undecided' }
    let outcome: PaymentOutcome | undefined
    try {
      const record = await this.#before(id)
      const isOwn = record?.request === ledger.fingerprint(kind, request)
      if (!isOwn || record.state === 'failed') outcome = { kind: 'unpaid' }
      else if (record.state === 'settled')
        outcome = { kind: 'paid', receipt: receiptOf(record, record.transaction ?? '') }
      else outcome = { kind: 'undecided' }
      return outcome
    } finally {
      if (outcome?.kind === 'paid') void this.#afterDelivery(id, delivered)
      else ledger.unlock(id)
    }
  }

  /**
   * Checks, without the node, that a payment is for this option and valid now. Its signature is not checked.
   *
   * @param signature - the `PAYMENT-SIGNATURE` header.
   * @returns the problem as a term of the protocol, or `undefined`.
   */
  problemWith(signature: string): string | undefined {
    const { option, ledger, now } = this.#parts
    const payment = readPayment(signature)
    const problem = payment ? problemWith(option, payment, now()) : 'invalid_payload'
    if (problem !== undefined) ledger.tally.refused(problem)
    return problem
  }

  /**
   * Returns true if the transfer of an earlier call is on the chain or waits for its block, so that nobody needs to send it.
   *
   * @throws ServiceError payments_unavailable - the node is not available.
   */
  async isUnderWay(authorization: EarlierCall['authorization']): Promise<boolean> {
    const { option, ledger, chain } = this.#parts
    const id = paymentId(option.network, option.asset, authorization)
    if (ledger.isLocked(id)) return true
    const record = ledger.find(id)
    if (!record) return false
    try {
      const { kind } = await chain.stateOf(record)
      return kind === 'paid' || kind === 'unconfirmed' || (await this.#isPending(record))
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
  }

  #refused(reason: string): { kind: 'refused'; reason: string } {
    this.#parts.ledger.tally.refused(reason)
    return { kind: 'refused', reason }
  }

  /** Waits for a result that needs the node or the facilitator, and counts a failure as a refused payment. */
  async #countingOutage<T>(result: Promise<T>): Promise<T> {
    try {
      return await result
    } catch (error) {
      this.#parts.ledger.tally.refused('payments_unavailable')
      throw error
    }
  }

  /** Returns the record of a payment that was used before, if any. Unless it is settled, the chain is asked for its outcome. */
  async #before(id: string): Promise<PaymentRecord | undefined> {
    const { ledger, reconciler } = this.#parts
    const found = ledger.find(id)
    // Nothing was sent for a payment that was only reserved.
    if (!found || found.state === 'reserved') return undefined
    if (found.state === 'settled') return found
    try {
      return await reconciler.update(found)
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
  }

  async #height(): Promise<number> {
    try {
      return await this.#parts.chain.height()
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
  }

  /** Returns true if the transfer that an earlier call sent waits for its block. Then it need not be sent again. */
  async #isPending(before: PaymentRecord | undefined): Promise<boolean> {
    if (before?.transaction === undefined) return false
    try {
      return await this.#parts.chain.isPending(before.transaction)
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
  }

  async #settle<Answer>(
    payment: SignedPayment,
    record: PaymentRecord,
    {
      answer,
      release,
      before,
      isSent,
    }: { answer: Answer; release: () => Promise<void>; before: PaymentRecord | undefined; isSent: boolean },
  ): Promise<Charged<Answer>> {
    const { settler, ledger, reconciler, reconcileMs, now, onFailure } = this.#parts
    let served = record
    let reported: Settlement = { kind: 'unknown', reason: 'settlement_pending' }
    try {
      if (isSent) await ledger.save(record)
      else {
        reported = await settler.settle(payment, async transaction => {
          served = transaction === undefined ? record : { ...record, transaction }
          await ledger.save(served)
        })
      }
    } catch (error) {
      await release()
      throw error
    }
    // That the transfer can't be sent again, says nothing about the one that an earlier call sent.
    if (before && reported.kind === 'failed') reported = { ...reported, kind: 'unknown' }
    const outcome = await reconciler.outcomeOf(served, reported, reconcileMs)
    const after = recordAfter(served, outcome, now())
    // A failed write does not change the outcome on the chain. The outdated record is reconciled after a restart.
    await ledger.save(after).catch(onFailure)
    if (outcome.kind === 'settled') return { kind: 'paid', answer, receipt: receiptOf(after, outcome.transaction) }
    return outcome.kind === 'failed'
      ? { kind: 'unsettled', reason: outcome.reason, receipt: failureReceipt(after, outcome.reason) }
      : { kind: 'undecided', receipt: failureReceipt(after, 'settlement_pending') }
  }

  /** Records that an answer was sent, so that its payment serves no further request. */
  async #afterDelivery(id: string, delivered: Promise<boolean>): Promise<void> {
    const { ledger, now, onFailure } = this.#parts
    try {
      if (await delivered) {
        const record = ledger.find(id)
        if (record) await ledger.save({ ...record, deliveredAt: now() })
      }
    } catch (failure) {
      onFailure(failure)
    } finally {
      ledger.unlock(id)
    }
  }
}

function recordAfter(record: PaymentRecord, outcome: Settlement, now: number): PaymentRecord {
  if (outcome.kind === 'settled') {
    return { ...record, state: 'settled', settledAt: now, transaction: outcome.transaction }
  }
  const { kind: state, reason, transaction } = outcome
  return { ...record, state, reason, ...(transaction !== undefined && { transaction }) }
}
