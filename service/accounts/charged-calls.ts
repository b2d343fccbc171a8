import type { Answered, CallContext } from '../calls/call.ts'
import { type CallName, type CallService, calls, type RequestOf, type ResponseOf } from '../calls/calls.ts'
import type { CallKind, Sku } from '../contract/sku.ts'
import type { CallCharge, Hold } from './ledger.ts'

/** An answer and its charge. There is no charge if the answer came too late. */
export interface ChargedCall<T> {
  /** The answer of the call. */
  answer: T
  /** Absent if nothing was charged. */
  charge?: CallCharge
}

/** The account that is charged for calls: an organization with credits, or an agent with plans. */
export interface BillingAccount {
  /** The id under which the shares of the server count this account's calls. */
  client: string
  /** True for zero data retention. */
  zdr: boolean
  /** True if searches without `enable_wizards` have wizards. */
  wizardsByDefault: boolean
  /** True if time filters accept the unit `w`. Default false. */
  weeksInFilters?: boolean
  /**
   * Holds the price of one call before its work.
   *
   * @throws ServiceError - the account cannot be charged.
   */
  hold(kind: CallKind): Promise<Hold>
}

/** Whether the caller of a running call still waits for the answer, and where the server is. */
export interface AskedBy extends Pick<CallContext, 'signal' | 'base'> {
  /** Returns true if the caller has disconnected or already got another answer. Nothing is charged then. */
  isTooLate: () => boolean
}

/** Work that is charged if it succeeds. */
export interface ChargedWork<T> {
  /** Runs while the price is held. If it rejects, nothing is charged. */
  work: () => Promise<T>
  skuOf: (answer: T) => Sku
  /** Returns true if the answer can no longer be delivered, for example after a timeout. Nothing is charged then. */
  isTooLate?: () => boolean
}

/**
 * Runs a call and charges its hold if the call succeeds. The charge is on disk when this resolves.
 *
 * @throws the error of the work. Nothing is charged then.
 */
export async function captureHold<T>(
  hold: Hold,
  { work, skuOf, isTooLate = () => false }: ChargedWork<T>,
): Promise<ChargedCall<T>> {
  try {
    const answer = await work()
    if (isTooLate()) return { answer }
    const charge = await hold.capture(skuOf(answer))
    if (!isTooLate()) return { answer, charge }
    await hold.refund()
    return { answer }
  } finally {
    await hold.void()
  }
}

/**
 * Answers a call for an account, within its retention policy, and charges the account unless the call is free, for any way in. If a call
 * has several faults, the error is about its fields, or else the retention policy, or else missing credits or plans.
 */
export async function answerOnAccount<Name extends CallName, N extends Name>(
  service: CallService<Name>,
  account: BillingAccount,
  name: N,
  request: RequestOf<N>,
  { isTooLate, signal, base }: AskedBy,
): Promise<ChargedCall<Answered<ResponseOf<N>>>> {
  const { client, zdr, wizardsByDefault, weeksInFilters } = account
  const policy = { zdr, wizardsByDefault }
  const context: CallContext = { keyed: true, client, organization: client, signal, base, policy, weeksInFilters }
  const work = () => service.answer(name, request, context)
  const { charged } = calls[name]
  if (!charged) return { answer: await work() }

  const { kind, sku, refusedUnderZeroRetention } = charged
  /** Holds the price. If that fails, checks the fields first, because their error takes precedence. Otherwise the work checks them. */
  async function hold(): Promise<Hold> {
    try {
      const refusal = zdr ? refusedUnderZeroRetention(request) : undefined
      if (refusal) throw refusal
      return await account.hold(kind)
    } catch (refusal) {
      await service.check(name, request, context)
      throw refusal
    }
  }
  return await captureHold(await hold(), { work, skuOf: answer => sku(request, answer), isTooLate })
}
