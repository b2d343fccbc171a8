import { refusedFields } from '../contract/errors.ts'
import type { FetchRequest, FetchResponse } from '../contract/page-schemas.ts'
import type { VerifyRequest, VerifyResponse } from '../contract/quote-schemas.ts'
import type { SearchRequest } from '../contract/search-schemas.ts'
import type { FetchOptions } from '../use-cases/fetch.ts'
import type { AnsweredSearch } from '../use-cases/search.ts'
import type { ChargedService } from '../use-cases/service.ts'
import type { CallCharge, Hold, Sku } from './ledger.ts'
import type { CallKind } from './plans/plan.ts'

/** An answer and its charge. There is no charge if the answer came too late. */
export interface ChargedCall<T> {
  answer: T
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

/** Returns the SKU of a search: that of its ranking, or of a fetch if the query was a URL. */
function searchSku({ response, fetched }: AnsweredSearch): Sku {
  if (fetched !== undefined) return fetched === 'live' ? 'fetch.live' : 'fetch'
  return response.mode === 'realtime' ? 'search.realtime' : 'search.pro'
}

/** The parts of a request that zero data retention restricts. */
interface RetainedParts {
  mode?: string
  prompt?: string | undefined
}

/**
 * Rejects requests that zero data retention does not allow (spec part 7). Wizards are rejected by the search itself.
 *
 * @throws ServiceError zdr_prompt_unsupported | zdr_unsupported_profile
 */
export function refuseUnderZeroRetention({ zdr }: { zdr: boolean }, request: RetainedParts): void {
  if (!zdr) return
  const { mode, prompt } = request
  const policy = "under this organization's zero data retention policy."
  if (prompt !== undefined)
    throw refusedFields('zdr_prompt_unsupported', [{ path: 'prompt', reason: `is not available ${policy}` }])
  if (mode !== undefined && mode !== 'pro' && mode !== 'realtime') {
    throw refusedFields('zdr_unsupported_profile', [
      { path: 'mode', reason: `only pro and realtime are available ${policy}` },
    ])
  }
}

/** Search, fetch and the verification of quotes, restricted by the retention policy of an account and charged to it. */
export interface ChargedCalls {
  search(request: SearchRequest): Promise<ChargedCall<AnsweredSearch>>
  fetch(request: FetchRequest, options?: Pick<FetchOptions, 'onReader'>): Promise<ChargedCall<FetchResponse>>
  /** Costs as much as one fetch, however many quotes there are. */
  verify(request: VerifyRequest): Promise<ChargedCall<VerifyResponse>>
}

/** Whether the caller of a running call still waits for the answer, and where the server is. */
export interface CallContext {
  /** Returns true if the caller has disconnected or already got another answer. Nothing is charged then. */
  isTooLate: () => boolean
  /** Aborts when the call is canceled. A call that waits in a queue then leaves it. */
  signal?: AbortSignal
  /** See `LinkedCall`. */
  base?: string
}

/**
 * Returns the calls of an account, for any transport. If a call has several faults, the error is about its fields, or
 * else the retention policy, or else missing credits or plans.
 */
export function chargedCalls(
  service: ChargedService,
  account: BillingAccount,
  { isTooLate, signal, base }: CallContext,
): ChargedCalls {
  const { client, zdr, wizardsByDefault, weeksInFilters = false } = account
  const rules = { policy: { zdr, wizardsByDefault }, weeksInFilters }

  /**
   * Holds the price of a call. If that fails, checks the fields first, because their error takes precedence. Otherwise
   * the work checks them.
   */
  async function hold(kind: CallKind, request: RetainedParts, check: () => Promise<void>): Promise<Hold> {
    try {
      refuseUnderZeroRetention(account, request)
      return await account.hold(kind)
    } catch (refusal) {
      await check()
      throw refusal
    }
  }
  return {
    search: async request =>
      captureHold(await hold('search', request, () => service.checkSearch(request, rules)), {
        work: () => service.search(request, { keyed: true, client, signal, base, ...rules }),
        skuOf: searchSku,
        isTooLate,
      }),
    fetch: async (request, options = {}) =>
      captureHold(await hold('fetch', request, () => service.checkFetch(request)), {
        work: () => service.fetch(request, { client, signal, base, zdr, ...options }),
        skuOf: () => (request.live ? 'fetch.live' : 'fetch'),
        isTooLate,
      }),
    verify: async request =>
      captureHold(await hold('fetch', {}, () => service.checkVerify(request)), {
        work: () => service.verify(request, { client, signal }),
        skuOf: () => 'fetch',
        isTooLate,
      }),
  }
}
