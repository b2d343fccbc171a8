import { ServiceError } from '../contract/errors.ts'
import type { FetchRequest, FetchResponse, SearchRequest } from '../contract/schemas.ts'
import type { FetchOptions } from '../use-cases/fetch.ts'
import type { AnsweredSearch } from '../use-cases/search.ts'
import type { Service } from '../use-cases/service.ts'
import type { Sku } from './account.ts'
import type { CallCharge, Hold } from './ledger.ts'
import type { ServiceSlug } from './plans/plan.ts'

/** An answer and its charge. An answer that came too late has no charge. */
export interface ChargedCall<T> {
  answer: T
  charge?: CallCharge
}

/** The account to which calls are charged: that of an organization with credits, or of an agent with plans. */
export interface BillingAccount {
  /** The id under which calls count in fair shares. */
  client: string
  /** True under zero data retention. */
  zdr: boolean
  /** Enables wizards for searches without `enable_wizards`. */
  wizardsByDefault: boolean
  /** True if the time filters of a search accept the unit `w`. Default false. */
  weeksInFilters?: boolean
  /** Holds the price of one call, before its work. @throws ServiceError - nothing can be charged. */
  hold(service: ServiceSlug): Hold | Promise<Hold>
}

/** Work that is charged if it succeeds. */
export interface ChargedWork<T> {
  /** Runs while a credit is held. If it rejects, nothing is charged. */
  work: () => Promise<T>
  skuOf: (answer: T) => Sku
  /** Returns true if the answer can't be delivered any more, for example after a timeout. Then nothing is charged. */
  isTooLate?: () => boolean
}

/**
 * Runs a call and captures its hold if the call succeeds. The charge is on disk when this resolves.
 *
 * @throws the error of the work. Then nothing is charged.
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
    hold.void()
  }
}

/** Returns the SKU of an answered search: that of its ranking, or that of a fetch if the query was a URL. */
function searchSku({ response, fetched }: AnsweredSearch): Sku {
  if (fetched !== undefined) return fetched === 'live' ? 'fetch.live' : 'fetch'
  return response.mode === 'realtime' ? 'search.realtime' : 'search.pro'
}

/** The fields of a search or fetch that a retention policy restricts. */
interface RetainedParts {
  mode?: string
  prompt?: string | undefined
}

/**
 * Rejects requests that are not allowed under zero data retention (spec part 7). Wizards are not checked here, because the
 * search rejects them.
 *
 * @throws ServiceError zdr_prompt_unsupported | zdr_unsupported_profile
 */
export function refuseUnderZeroRetention({ zdr }: { zdr: boolean }, request: RetainedParts): void {
  if (!zdr) return
  const { mode, prompt } = request
  const policy = "under this organization's zero data retention policy."
  if (prompt !== undefined) throw new ServiceError('zdr_prompt_unsupported', `Prompts are not available ${policy}`)
  if (mode !== undefined && mode !== 'pro' && mode !== 'realtime') {
    throw new ServiceError('zdr_unsupported_profile', `Only the modes pro and realtime are available ${policy}`)
  }
}

/** Search and fetch, checked against the retention policy of an account, and charged to it. */
export interface ChargedCalls {
  search(request: SearchRequest): Promise<ChargedCall<AnsweredSearch>>
  fetch(request: FetchRequest, options?: Pick<FetchOptions, 'onReader'>): Promise<ChargedCall<FetchResponse>>
}

/** Tells a running call that its caller does not wait for the answer any more. */
export interface Cancellation {
  /** Returns true if the caller has disconnected or already got another answer. Then nothing is charged. */
  isTooLate: () => boolean
  /** Aborts when the call is canceled. Work that waits in a queue is then removed from it. */
  signal?: AbortSignal
}

/**
 * Creates the calls of an account, for any transport. If a call has several faults, the error is that of its fields, else
 * that of the retention policy, else that of missing credits or plans.
 */
export function chargedCalls(
  service: Service,
  account: BillingAccount,
  { isTooLate, signal }: Cancellation,
): ChargedCalls {
  const { client, zdr, wizardsByDefault, weeksInFilters = false } = account
  const rules = { policy: { zdr, wizardsByDefault }, weeksInFilters }

  /**
   * Holds the price of a call. The fields are checked by the work. They are checked here only if the call is refused, because
   * the error of a field takes precedence.
   */
  async function hold(slug: ServiceSlug, request: RetainedParts, check: () => Promise<void>): Promise<Hold> {
    try {
      refuseUnderZeroRetention(account, request)
      return await account.hold(slug)
    } catch (refusal) {
      await check()
      throw refusal
    }
  }
  return {
    search: async request =>
      captureHold(await hold('search', request, () => service.checkSearch(request, rules)), {
        work: () => service.search(request, { keyed: true, client, signal, ...rules }),
        skuOf: searchSku,
        isTooLate,
      }),
    fetch: async (request, options = {}) =>
      captureHold(await hold('fetch', request, () => service.checkFetch(request)), {
        work: () => service.fetch(request, { client, signal, zdr, ...options }),
        skuOf: () => (request.live ? 'fetch.live' : 'fetch'),
        isTooLate,
      }),
  }
}
