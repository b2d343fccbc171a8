import { isKnownError } from '../../crawler/errors.ts'
import type { LimitStanding } from '../../service/accounts/index.ts'
import { ServiceError } from '../../service/index.ts'
import { EarlierPayments, type EarlierPaymentsParts } from './earlier-payments.ts'
import {
  offerOf,
  type PaidResource,
  type PaymentOffer,
  type PaymentOption,
  parsePayment,
  paymentId,
  problemWith,
  type SignedPayment,
} from './offer.ts'
import { unlockAfterDelivery } from './payment-ledger.ts'
import {
  failureReceipt,
  type PaymentOrder,
  type PaymentOutcome,
  type SettledOutcome,
  settledBy,
} from './payment-order.ts'
import { isSettled, type PaymentRecord } from './payment-record.ts'
import { type BeforeSending, paymentsUnavailable, type SettlementOutcome, type Settler } from './settler.ts'

/** A payment for a call, which runs before the transfer is sent. */
export interface CallOrder<Request extends object, Answer> extends PaymentOrder {
  /** A valid request, so that nobody pays for a request that can't be answered. */
  request: Request
  /** Runs the request. @throws ServiceError - then nothing is charged. */
  run: (request: Request) => Promise<Answer>
  /** Returns true if the caller has disconnected or already got another answer. Then nothing is charged. */
  isTooLate: () => boolean
  /** Called with the rate limit of the wallet that pays, after the payment was verified. */
  onWalletLimit: (standing: LimitStanding) => void
}

export type CallOutcome<Answer> =
  /** The transfer is on the chain, so the answer can be sent. */
  | (SettledOutcome & { answer: Answer })
  /** The answer is withheld, or the request did not run. */
  | Exclude<PaymentOutcome, SettledOutcome>
  /** The caller disconnected before anything was charged. */
  | { kind: 'abandoned' }

/**
 * Reasons to refuse a payment that are expected if an earlier call has sent its transfer, or if the payment expired after
 * that call.
 */
const dueToEarlier = /_(?:valid_before|insufficient_balance|nonce_already_used|simulation_failed)$/

/** A payment that can be settled. */
interface VerifiedPayment {
  kind: 'verified'
  payment: SignedPayment
  /** The record to store as the hold of the payment. */
  record: PaymentRecord
  /** The record of an undecided earlier order with this payment. */
  before: PaymentRecord | undefined
  /** True if an earlier order has sent the transfer, and the transfer is in no block yet. */
  isSent: boolean
  walletLimit: LimitStanding
}

export interface PaymentProcessorParts extends EarlierPaymentsParts {
  settler: Settler
  reconcileMs: number
  limitWallet: (wallet: string) => Promise<LimitStanding>
}

function usedElsewhere(): ServiceError {
  const text =
    'Another server is using this payment. Repeat the request with the same payment: it is not charged twice.'
  return new ServiceError('payments_unavailable', text, { retryAfterSeconds: 5 })
}

/**
 * Takes payments. A payment pays for one request, is charged when that request has succeeded, and is never charged twice
 * (spec E7).
 *
 * These invariants hold even if the process is killed between any two steps:
 * - Before a transfer is sent to the chain, a record on disk says that it may be sent.
 * - No answer is sent before its transfer is on the chain.
 * - A settled payment whose answer was not sent still pays for the same request, and for no other.
 */
export class PaymentProcessor {
  /** What became of the payments of earlier orders. */
  readonly earlier: EarlierPayments
  readonly #parts: PaymentProcessorParts

  constructor(parts: PaymentProcessorParts) {
    this.earlier = new EarlierPayments(parts)
    this.#parts = parts
  }

  /** The transfer that a payment must sign. */
  get option(): PaymentOption {
    return this.#parts.option
  }

  /** Returns the offer to send instead of an answer. @param error - the reason. Default: the call had no payment. */
  offer(resource: PaidResource, error?: string): PaymentOffer {
    return offerOf(this.option, resource, error)
  }

  /**
   * Runs a call and takes its payment.
   *
   * @throws ServiceError rate_limited - nothing was charged.
   * @throws ServiceError payments_unavailable - nothing was charged by this call; another server may be using the payment.
   * @throws what `run` throws; nothing was charged.
   */
  charge<Request extends object, Answer>(call: CallOrder<Request, Answer>): Promise<CallOutcome<Answer>> {
    const { ledger } = this.#parts
    return this.#using<CallOutcome<Answer>>(call, async payment => {
      if (payment.kind === 'settled') return { ...payment, answer: await call.run(call.request) }
      if (payment.kind !== 'verified') return payment
      const { before, record } = payment
      call.onWalletLimit(payment.walletLimit)
      this.#refuseOverLimit(payment)
      await ledger.save(before ? { ...record, state: 'undecided' } : record)
      let answer: Answer
      try {
        answer = await call.run(call.request)
      } catch (error) {
        await this.#void(payment)
        throw error
      }
      if (call.isTooLate()) {
        await this.#void(payment)
        return { kind: 'abandoned' }
      }
      const outcome = await this.#settle(payment)
      return outcome.kind === 'settled' ? { ...outcome, answer } : outcome
    })
  }

  /**
   * Takes the payment for a plan, which is granted afterwards. Until the plan is granted, a repeated order gets the same
   * outcome and moves no money.
   *
   * @throws as `charge` does.
   */
  take(order: PaymentOrder): Promise<PaymentOutcome> {
    return this.#using<PaymentOutcome>(order, async payment => {
      if (payment.kind !== 'verified') return payment
      this.#refuseOverLimit(payment)
      return await this.#settle(payment)
    })
  }

  /**
   * Locks the payment of an order, verifies it, and passes it to `use`. A payment that settled stays locked until `delivered`
   * resolves.
   */
  async #using<Outcome extends { kind: string }>(
    order: PaymentOrder,
    use: (payment: VerifiedPayment | PaymentOutcome) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { option, ledger } = this.#parts
    const payment = parsePayment(order.payment)
    if (!payment) return await use(this.#refused('invalid_payload'))
    const id = paymentId(option.network, option.asset, payment.payload.authorization)
    if (!(await ledger.lock(id))) {
      if (await ledger.isLockedHere(id)) return await use(this.#refused('payment_already_used'))
      // That server may be dead, and this may be the caller who paid it.
      ledger.tally.refused('payments_unavailable')
      throw usedElsewhere()
    }
    let outcome: Outcome | undefined
    try {
      outcome = await use(await this.#verify(order, id, payment))
      return outcome
    } finally {
      // A settled payment can be used again only if its answer is not sent. Until that is known, the payment stays locked.
      if (outcome?.kind === 'settled') void unlockAfterDelivery(id, order.delivered, this.#parts)
      else await ledger.unlock(id)
    }
  }

  async #verify(order: PaymentOrder, id: string, payment: SignedPayment): Promise<VerifiedPayment | PaymentOutcome> {
    const { option, ledger, settler, limitWallet, now } = this.#parts
    const { authorization } = payment.payload
    const fingerprint = ledger.fingerprint(order.kind, order.request)
    const before = await this.#countingOutage(this.earlier.recordOf(id))
    // The signature was verified before the payment settled. Since then the signature is public on the chain, so anybody can
    // present it. The request must therefore be the one that was paid for. A plan that was granted before is granted under its
    // payment once, so a purchase whose record was lost can be repeated.
    const pays = isSettled(before) && (before.deliveredAt === undefined || order.kind === 'purchase')
    if (pays && before.request === fingerprint) return settledBy(before)
    if (before?.state === 'settled' || before?.state === 'failed') {
      return this.#refused('payment_already_used')
    }

    const refused = (reason: string): PaymentOutcome =>
      before && dueToEarlier.test(reason)
        ? { kind: 'undecided', receipt: failureReceipt(before, 'settlement_pending') }
        : this.#refused(reason)
    // Settled payments returned above without this check, because the price may have changed since they settled.
    const problem = problemWith(option, payment, now())
    if (problem !== undefined) return refused(problem)
    const [reason, height, isSent] = await this.#countingOutage(
      Promise.all([settler.verify(payment), this.#height(), this.earlier.isPending(before)]),
    )
    if (reason !== undefined) return refused(reason)
    const record: PaymentRecord = {
      id,
      state: 'held',
      kind: order.kind,
      request: fingerprint,
      network: option.network,
      asset: option.asset,
      payer: authorization.from,
      payTo: option.payTo,
      amount: option.amount,
      nonce: authorization.nonce,
      validBefore: authorization.validBefore,
      heldAt: before?.heldAt ?? now(),
      // An earlier order with this payment may have sent the transfer, which can be in an earlier block.
      sinceBlock: before?.sinceBlock ?? height,
      transaction: before?.transaction,
    }
    // The call is counted after the payer was verified, so that nobody can use up the limit of another wallet.
    const walletLimit = await limitWallet(authorization.from.toLowerCase())
    return { kind: 'verified', payment, record, before, isSent, walletLimit }
  }

  /** @throws ServiceError rate_limited */
  #refuseOverLimit({ walletLimit }: VerifiedPayment): void {
    if (walletLimit.refusal) throw walletLimit.refusal
  }

  /** Voids the hold of a payment: restores the record of an earlier order, or deletes the new one. */
  #void({ before, record }: VerifiedPayment): Promise<void> {
    const { ledger } = this.#parts
    return before ? ledger.save(before) : ledger.void(record)
  }

  /**
   * Checks, without the node, that a payment accepts the offered option and is valid now. The signature is not checked.
   *
   * @param sent - the payment of x402 as its sender wrote it.
   * @returns the problem as a term of the protocol, or `undefined`.
   */
  problemWith(sent: unknown): string | undefined {
    const { option, ledger, now } = this.#parts
    const payment = parsePayment(sent)
    const problem = payment ? problemWith(option, payment, now()) : 'invalid_payload'
    if (problem !== undefined) ledger.tally.refused(problem)
    return problem
  }

  #refused(reason: string): { kind: 'refused'; reason: string } {
    this.#parts.ledger.tally.refused(reason)
    return { kind: 'refused', reason }
  }

  /** Waits for a result of the node or the facilitator. Counts a failure as a refused payment in the tally. */
  async #countingOutage<T>(result: Promise<T>): Promise<T> {
    try {
      return await result
    } catch (error) {
      this.#parts.ledger.tally.refused('payments_unavailable')
      throw error
    }
  }

  async #height(): Promise<number> {
    try {
      return await this.#parts.chain.height()
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
  }

  async #settle(verified: VerifiedPayment): Promise<PaymentOutcome> {
    const { settler, ledger, reconciler, reconcileMs, now, onFailure } = this.#parts
    const { payment, before, isSent } = verified
    const record: PaymentRecord = { ...verified.record, state: 'settling' }
    let sent: PaymentRecord | undefined
    let reported: SettlementOutcome = { kind: 'undecided', reason: 'settlement_pending' }
    const beforeSending: BeforeSending = async transaction => {
      const settling = transaction === undefined ? record : { ...record, transaction }
      await ledger.save(settling)
      sent = settling
    }
    try {
      if (isSent) await beforeSending()
      else reported = await settler.settle(payment, beforeSending)
    } catch (error) {
      if (!sent) {
        await this.#void(verified)
        throw error
      }
      // For example, the wallet sent a first transaction, and the record of a second one could not be written.
      onFailure(error)
    }
    const settling = sent ?? record
    // This transfer may have failed because the transfer of an earlier order succeeded.
    if (before && reported.kind === 'failed') reported = { ...reported, kind: 'undecided' }
    const outcome = reported.kind === 'settled' ? reported : await reconciler.outcomeOf(settling, reported, reconcileMs)
    const after = recordAfter(settling, outcome, now())
    // A failed write does not change the outcome on the chain. The stored record is still `settling`, so the reconciler updates
    // it later. If another server may have the payment by now, the caller has to ask again, so that nobody is answered twice.
    let isLost = false
    await ledger.save(after).catch((error: unknown) => {
      isLost = isKnownError(error) && error.code === 'ASOF_LEASE_LOST'
      onFailure(error)
    })
    if (isLost) return { kind: 'undecided', receipt: failureReceipt(after, 'settlement_pending') }
    if (isSettled(after)) return settledBy(after)
    return outcome.kind === 'failed'
      ? { kind: 'failed', reason: outcome.reason, receipt: failureReceipt(after, outcome.reason) }
      : { kind: 'undecided', receipt: failureReceipt(after, 'settlement_pending') }
  }
}

function recordAfter(record: PaymentRecord, outcome: SettlementOutcome, now: number): PaymentRecord {
  if (outcome.kind === 'settled') {
    return { ...record, state: 'settled', settledAt: now, transaction: outcome.transaction }
  }
  const { kind: state, reason, transaction = record.transaction } = outcome
  const isReverted = state === 'failed' && outcome.transaction !== undefined
  return { ...record, state, reason, transaction, isWatched: isReverted ? true : record.isWatched }
}
