import type { FetchRequest, FetchResponse, SearchRequest } from '../contract/schemas.ts'
import type { FetchOptions } from '../use-cases/fetch.ts'
import type { AnsweredSearch } from '../use-cases/search.ts'
import type { Service } from '../use-cases/service.ts'
import type { Draw, Hold } from './ledger.ts'
import type { ServiceSlug } from './plans/plan.ts'
import { fetchSku, type Sku, searchSku } from './sku.ts'
import { type RetainedParts, refuseUnderZeroRetention } from './zero-retention.ts'

/** An answer and its charge; without `draw` if the answer came too late. */
export interface ChargedCall<T> {
  answer: T
  draw?: Draw
}

/** The account that pays for calls: that of an organization with credits, or of an agent with plans. */
export interface Payer {
  /** The id under which calls count in fair shares. */
  client: string
  /** Zero data retention. */
  zdr: boolean
  /** Enables wizards for searches without `enable_wizards`. */
  wizards: boolean
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
 * @returns the answer and its charge; without `draw` if the answer came too late.
 * @throws what the work throws; then nothing is charged.
 */
export async function captureHold<T>(
  hold: Hold,
  { work, skuOf, isTooLate = () => false }: ChargedWork<T>,
): Promise<ChargedCall<T>> {
  try {
    const answer = await work()
    if (isTooLate()) return { answer }
    const draw = await hold.capture(skuOf(answer))
    if (!isTooLate()) return { answer, draw }
    await hold.refund()
    return { answer }
  } finally {
    hold.void()
  }
}

/** Search and fetch for a payer: checked against its retention policy, and charged. */
export interface ChargedCalls {
  search(request: SearchRequest): Promise<ChargedCall<AnsweredSearch>>
  fetch(request: FetchRequest, options?: Pick<FetchOptions, 'onReader'>): Promise<ChargedCall<FetchResponse>>
}

/** Says whether an answer can still be delivered. */
export interface Delivery {
  /** Returns true if the caller has disconnected or already got another answer. Then nothing is charged. */
  isTooLate: () => boolean
  /** Aborts when the answer can't be delivered any more. Work that waits in a queue is then dropped. */
  signal?: AbortSignal
}

/**
 * Creates the calls of a payer, for any transport. Refusals have an order of precedence: invalid fields, the retention policy,
 * credits or plans.
 */
export function chargedCalls(service: Service, payer: Payer, { isTooLate, signal }: Delivery): ChargedCalls {
  const { client, zdr, wizards: wizardsByDefault, weeksInFilters = false } = payer
  const rules = { policy: { zdr, wizardsByDefault }, weeksInFilters }

  /** Holds the price of a call. The work checks its fields; only a call that is refused here is checked before. */
  async function hold(slug: ServiceSlug, request: RetainedParts, check: () => Promise<void>): Promise<Hold> {
    try {
      refuseUnderZeroRetention(payer, request)
      return await payer.hold(slug)
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
        skuOf: () => fetchSku(request),
        isTooLate,
      }),
  }
}
