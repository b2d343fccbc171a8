import type { LimitStanding } from '../accounts/index.ts'
import type { Chain } from './chain.ts'
import { isOption, type PaymentOption, termsProblem } from './offer.ts'
import { readPayment, type SignedPayment } from './payment-header.ts'
import type { PaymentLedger } from './payment-ledger.ts'
import { PaymentProblem } from './payment-problem.ts'
import { type PaidKind, type PaymentRecord, paymentId } from './payment-record.ts'
import type { Hex, Network } from './payment-settings.ts'
import type { Reconciler } from './reconciler.ts'
import { paymentsUnavailable, type Settlement, type Settler } from './settler.ts'

/** A call that comes with a payment. */
export interface PaidCall<Request extends object, Answer> {
  kind: PaidKind
  /** The `PAYMENT-SIGNATURE` header. */
  signature: string
  /** Has been checked: nobody is asked to pay for a request that can't be answered. */
  request: Request
  /** Runs it. @throws ServiceError - then nothing is charged. */
  run: (request: Request) => Promise<Answer>
  /** Whether the caller has gone, or has been answered otherwise; then nothing is charged. */
  isTooLate: () => boolean
  /** Told where the payer's wallet stands, once it is known that it is the payer's. */
  onWalletLimit: (standing: LimitStanding) => void
  /** Resolves when the answer has gone out in full (true), or will not (false). */
  delivered: Promise<boolean>
}

/** What the `PAYMENT-RESPONSE` header says. */
export interface PaymentReceipt {
  success: boolean
  errorReason?: string
  transaction: string
  network: Network
  payer: Hex
}

export type Charged<Answer> =
  /** The payment is on the chain, and this is what it bought. */
  | { kind: 'paid'; answer: Answer; receipt: PaymentReceipt }
  /** The payment is not good for this call; nothing was done. The reason is a protocol word. */
  | { kind: 'refused'; reason: string }
  /** The request ran, the payment failed, the answer is withheld. */
  | { kind: 'unsettled'; reason: string; receipt: PaymentReceipt }
  /** The request ran, and nobody can tell yet whether the payment went through: the same payment is good for asking again. */
  | { kind: 'undecided'; receipt: PaymentReceipt }
  /** The caller went away before anything was charged. */
  | { kind: 'abandoned' }

export interface ChargeParts {
  option: PaymentOption
  ledger: PaymentLedger
  settler: Settler
  chain: Chain | undefined
  reconciler: Reconciler
  reconcileMs: number
  limitWallet: (wallet: string) => Promise<LimitStanding>
  now: () => number
  /** Told of what went wrong behind an answer that went out all the same. */
  onFailure: (failure: unknown) => void
}

function receiptOf({ network, payer }: PaymentRecord, transaction: string): PaymentReceipt {
  return { success: true, transaction, network, payer }
}

function failureReceipt({ network, payer, transaction }: PaymentRecord, errorReason: string): PaymentReceipt {
  return { success: false, errorReason, transaction: transaction ?? '', network, payer }
}

/**
 * Takes payments: each serves one request, is charged when that has succeeded, and never twice (spec, x402 call sequence).
 *
 * Invariants, whatever ends the process between any two steps: nothing is sent to the chain before it is on disk that it
 * may be; no answer leaves before its transfer is on the chain; a payment that is on the chain and whose answer did not
 * go out still serves that request, and no other.
 */
export class PaymentProcessor {
  readonly #parts: ChargeParts

  constructor(parts: ChargeParts) {
    this.#parts = parts
  }

  /**
   * Runs a call for its payment.
   *
   * @throws ServiceError what `run` throws, rate_limited, payments_unavailable - nothing was charged.
   */
  async charge<Request extends object, Answer>(call: PaidCall<Request, Answer>): Promise<Charged<Answer>> {
    const { option, ledger } = this.#parts
    const payment = readPayment(call.signature)
    if (!payment) return this.#refused('invalid_payload')
    if (!isOption(option, payment.accepted)) return this.#refused('invalid_payment_requirements')
    const id = paymentId(option.network, option.asset, payment.payload.authorization)
    if (!ledger.hold(id)) return this.#refused('payment_already_used')
    let charged: Charged<Answer> | undefined
    try {
      charged = await this.#held(call, { id, payment })
      return charged
    } finally {
      // A paid payment is held until its answer is out: what it owes is not known before.
      if (charged?.kind === 'paid') void this.#afterDelivery(id, call.delivered)
      else ledger.letGo(id)
    }
  }

  async #held<Request extends object, Answer>(
    call: PaidCall<Request, Answer>,
    { id, payment }: { id: string; payment: SignedPayment },
  ): Promise<Charged<Answer>> {
    const { option, ledger, settler, limitWallet, now } = this.#parts
    const { authorization } = payment.payload
    const { request } = call
    const fingerprint = ledger.fingerprint(call.kind, request)
    const before = await this.#certain(this.#before(id))
    // Whose signature it was has been found when it was charged, and anyone can read it on the chain since: that it is the
    // same request is what makes it the payer's.
    if (before?.state === 'settled' && before.deliveredAt === undefined && before.request === fingerprint) {
      return { kind: 'paid', answer: await call.run(request), receipt: receiptOf(before, before.transaction!) }
    }
    if (before?.state === 'settled' || before?.state === 'failed') {
      return this.#refused('payment_already_used')
    }

    const problem = termsProblem(option, authorization, now())
    if (problem !== undefined) return this.#refused(problem)
    const [reason, height] = await this.#certain(Promise.all([settler.verify(payment), this.#height()]))
    if (reason !== undefined) return this.#refused(reason)
    // Only now is it known whose payment it is: nobody can use up the limit of somebody else's wallet.
    const standing = await limitWallet(authorization.from.toLowerCase())
    call.onWalletLimit(standing)
    if (standing.refusal) throw standing.refusal
    // What was sent before counts too, where an earlier try is taken up again.
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
      ...(sinceBlock !== undefined && { sinceBlock }),
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
    return await this.#settle(payment, { ...record, state: 'served' }, answer, release)
  }

  #refused(reason: string): { kind: 'refused'; reason: string } {
    this.#parts.ledger.tally.refused(reason)
    return { kind: 'refused', reason }
  }

  /** What is asked about a payment, counting it where nobody could tell. */
  async #certain<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked
    } catch (error) {
      this.#parts.ledger.tally.refused('payments_unavailable')
      throw error
    }
  }

  /** What is known of a payment that came before; where that is in doubt, what the chain says of it now. */
  async #before(id: string): Promise<PaymentRecord | undefined> {
    const { ledger, reconciler } = this.#parts
    const found = ledger.find(id)
    // Nothing was sent for what was only reserved.
    if (!found || found.state === 'reserved') return undefined
    if (found.state === 'settled') return found
    if (found.state === 'failed' && !reconciler.hasChain) return found
    // Nobody can tell: to let it through could serve it twice, to refuse it could take it for nothing.
    if (!reconciler.hasChain)
      throw paymentsUnavailable(new PaymentProblem('a payment is in doubt, and no node can be asked'))
    try {
      return await reconciler.update(found)
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
  }

  async #height(): Promise<number | undefined> {
    try {
      return await this.#parts.chain?.height()
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
  }

  async #settle<Answer>(
    payment: SignedPayment,
    record: PaymentRecord,
    answer: Answer,
    release: () => Promise<void>,
  ): Promise<Charged<Answer>> {
    const { settler, ledger, reconciler, reconcileMs, now, onFailure } = this.#parts
    let served = record
    let told: Settlement
    try {
      told = await settler.settle(payment, async transaction => {
        served = transaction === undefined ? record : { ...record, transaction }
        await ledger.save(served)
      })
    } catch (error) {
      await release()
      throw error
    }
    const outcome = await reconciler.outcomeOf(served, told, reconcileMs)
    const after = recordAfter(served, outcome, now())
    // The money has moved or has not, whatever the disk does; a record left behind is reconciled after a restart.
    await ledger.save(after).catch(onFailure)
    if (outcome.kind === 'settled') return { kind: 'paid', answer, receipt: receiptOf(after, outcome.transaction) }
    return outcome.kind === 'failed'
      ? { kind: 'unsettled', reason: outcome.reason, receipt: failureReceipt(after, outcome.reason) }
      : { kind: 'undecided', receipt: failureReceipt(after, 'settlement_pending') }
  }

  /** Notes that an answer went out, so that its payment serves nothing any more. */
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
      ledger.letGo(id)
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
