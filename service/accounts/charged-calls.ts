import type { FetchRequest, FetchResponse, SearchRequest } from '../contract/schemas.ts'
import type { FetchOptions } from '../use-cases/fetch.ts'
import type { AnsweredSearch } from '../use-cases/search.ts'
import type { Service } from '../use-cases/service.ts'
import type { Draw, Reservation } from './ledger.ts'
import type { ServiceSlug } from './plans/plan.ts'
import { fetchSku, type Sku, searchSku } from './sku.ts'
import { refuseUnderZeroRetention } from './zero-retention.ts'

/** An answer and its charge; without `draw` if the answer came too late. */
export interface Charged<T> {
  answer: T
  draw?: Draw
}

/** Who pays for calls: an organization with credits, or an agent with plans. */
export interface Payer {
  /** The id under which calls count in fair shares. */
  client: string
  /** Zero data retention. */
  zdr: boolean
  /** Enables wizards for searches without `enable_wizards`. */
  wizards: boolean
  /** True if the time filters of a search accept the unit `w`. Default false. */
  weeksInFilters?: boolean
  /** Reserves one call, before its work. @throws ServiceError - nothing can be charged. */
  reserve(service: ServiceSlug): Reservation | Promise<Reservation>
}

/** Work that is charged if it succeeds. */
export interface ChargedWork<T> {
  /** Runs while a credit is reserved. If it rejects, nothing is charged. */
  work: () => Promise<T>
  skuOf: (answer: T) => Sku
  /** Returns true if the answer can't be delivered any more, for example after a timeout. Then nothing is charged. */
  isTooLate?: () => boolean
}

/**
 * Runs a call and charges its reservation if the call succeeds. The charge is on disk when this resolves.
 *
 * @returns the answer and its charge; without `draw` if the answer came too late.
 * @throws what the work throws; then nothing is charged.
 */
export async function chargeReservation<T>(
  reservation: Reservation,
  { work, skuOf, isTooLate = () => false }: ChargedWork<T>,
): Promise<Charged<T>> {
  try {
    const answer = await work()
    if (isTooLate()) return { answer }
    const draw = await reservation.settle(skuOf(answer))
    if (!isTooLate()) return { answer, draw }
    await reservation.refund()
    return { answer }
  } finally {
    reservation.release()
  }
}

/** Search and fetch for a payer: checked against its retention policy, and charged. */
export interface ChargedCalls {
  search(request: SearchRequest): Promise<Charged<AnsweredSearch>>
  fetch(request: FetchRequest, options?: Pick<FetchOptions, 'onReader'>): Promise<Charged<FetchResponse>>
}

/** Says whether an answer can still be delivered. */
export interface Delivery {
  /** Returns true if the caller has disconnected or already got another answer. Then nothing is charged. */
  isTooLate: () => boolean
  /** Aborts when the answer can't be delivered any more. Work that waits in a queue is then dropped. */
  signal?: AbortSignal
}

/**
 * Creates the calls of a payer, for any transport. A request is checked in this order before a credit is reserved: invalid
 * fields (400), the retention policy, credits or plans.
 */
export function chargedCalls(service: Service, payer: Payer, delivery: Delivery): ChargedCalls {
  const { isTooLate, signal } = delivery
  const { client, zdr, wizards: wizardsByDefault } = payer
  const rules = { policy: { zdr, wizardsByDefault }, weeksInFilters: payer.weeksInFilters ?? false }
  const call = { client, ...(signal && { signal }) }
  return {
    search: async request => {
      await service.checkSearch(request, rules)
      refuseUnderZeroRetention(payer, request)
      return chargeReservation(await payer.reserve('search'), {
        work: () => service.search(request, { keyed: true, ...call, ...rules }),
        skuOf: searchSku,
        isTooLate,
      })
    },
    fetch: async (request, options = {}) => {
      await service.checkFetch(request)
      refuseUnderZeroRetention(payer, request)
      return chargeReservation(await payer.reserve('fetch'), {
        work: () => service.fetch(request, { ...call, zdr, ...options }),
        skuOf: () => fetchSku(request),
        isTooLate,
      })
    },
  }
}
