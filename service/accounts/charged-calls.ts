import type { Answered, CallContext } from '../calls/call.ts'
import { type CallName, type CallService, calls, type RequestOf, type ResponseOf } from '../calls/calls.ts'
import { inOrder } from '../calls/in-order.ts'
import type { CallKind, Sku } from '../contract/sku.ts'
import type { CallCharge, Hold } from './ledger.ts'

/** An answer and its charge. There is no charge if the answer came too late. */
export interface ChargedCall<T> {
  /** The answer of the call. */
  answer: T
  /** Absent if nothing was charged. */
  charge?: CallCharge
  /** Takes back the charge, if the call is a part of a larger answer that could not be delivered. Absent if nothing was charged. */
  refund?: () => Promise<void>
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
    if (!isTooLate()) return { answer, charge, refund: () => hold.refund() }
    await hold.refund()
    return { answer }
  } finally {
    await hold.void()
  }
}

/** A call that was not made yet. If it is not free, its price is held. */
type HeldCall<T> = Pick<ChargedWork<T>, 'work'> & ({ hold: Hold; skuOf: (answer: T) => Sku } | { hold?: undefined })

/** Holds the price of a call for an account, unless the call is free. See {@link answerOnAccount}. */
async function holdCall<Name extends CallName, N extends Name>(
  service: CallService<Name>,
  account: BillingAccount,
  name: N,
  request: RequestOf<N>,
  { signal, base }: AskedBy,
): Promise<HeldCall<Answered<ResponseOf<N>>>> {
  const { client, zdr, wizardsByDefault, weeksInFilters } = account
  const policy = { zdr, wizardsByDefault }
  const context: CallContext = { keyed: true, client, organization: client, signal, base, policy, weeksInFilters }
  const work = () => service.answer(name, request, context)
  const { charged } = calls[name]
  if (!charged) return { work }

  const { kind, sku, refusedUnderZeroRetention } = charged
  const skuOf = (answer: Answered<ResponseOf<N>>) => sku(request, answer)
  try {
    const refusal = zdr ? refusedUnderZeroRetention(request) : undefined
    if (refusal) throw refusal
    return { hold: await account.hold(kind), work, skuOf }
  } catch (refusal) {
    // The error of a field takes precedence. If the price is held, the work checks the fields.
    await service.check(name, request, context)
    throw refusal
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
  by: AskedBy,
): Promise<ChargedCall<Answered<ResponseOf<N>>>> {
  const held = await holdCall(service, account, name, request, by)
  return held.hold ? await captureHold(held.hold, { ...held, isTooLate: by.isTooLate }) : { answer: await held.work() }
}

/** How the calls of a batch are made. */
export interface AskedTogether extends AskedBy {
  /** Makes one call. It may wait before, and try again if the call is refused. */
  each: <T>(work: () => Promise<T>) => Promise<T>
}

/**
 * Answers several requests of one call, in their order. If one of them fails or their answers come too late, nothing is charged.
 *
 * @throws the error of the first request that failed.
 */
export async function answerBatchOnAccount<Name extends CallName, N extends Name>(
  service: CallService<Name>,
  account: BillingAccount,
  name: N,
  requests: readonly RequestOf<N>[],
  { each, ...by }: AskedTogether,
): Promise<ChargedCall<Answered<ResponseOf<N>>>[]> {
  const holds: Hold[] = []
  try {
    const worked = await inOrder(requests, async request => {
      const held = await holdCall(service, account, name, request, by)
      if (held.hold) holds.push(held.hold)
      const answer = await each(held.work)
      return { answer, capture: held.hold && (() => held.hold.capture(held.skuOf(answer))), hold: held.hold }
    })
    const answers = worked.map(({ answer }) => ({ answer }))
    if (by.isTooLate()) return answers
    const captured = await Promise.allSettled(
      worked.map(async ({ answer, capture }) => ({ answer, charge: await capture?.() })),
    )
    const failed = captured.find(end => end.status === 'rejected')
    const charged = captured.flatMap(end => (end.status === 'fulfilled' ? end.value : []))
    if (!failed && !by.isTooLate()) return charged
    await Promise.all(worked.map(({ hold }, i) => (captured[i]?.status === 'fulfilled' ? hold?.refund() : undefined)))
    if (failed) throw failed.reason
    return answers
  } finally {
    await Promise.all(holds.map(hold => hold.void()))
  }
}
