import type { AnsweredSearch, FetchOptions, FetchRequest, FetchResponse, SearchRequest, Service } from '../index.ts'
import type { Access } from './access.ts'
import type { Caller } from './authentication.ts'
import type { Draw } from './ledger.ts'
import { fetchSku, searchSku } from './sku.ts'
import { refuseUnderZeroRetention } from './zero-retention.ts'

/** An answer and its charge; without `draw` if the answer came too late. */
export interface Charged<T> {
  answer: T
  draw?: Draw
}

/** Search and fetch for a caller with credits: checked against the organization's retention policy, and charged. */
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
 * Creates the calls of `caller`, for any transport. A request is checked in this order before a credit is reserved: invalid
 * fields (400), the retention policy of the organization, credits (402).
 */
export function chargedCalls(service: Service, access: Access, caller: Caller, delivery: Delivery): ChargedCalls {
  const { isTooLate, signal } = delivery
  const { organisation } = caller
  const { id: client, zdr, wizards: wizardsByDefault } = organisation
  const policy = { zdr, wizardsByDefault }
  const call = { client, ...(signal && { signal }) }
  return {
    search: async request => {
      await service.checkSearch(request, { policy })
      refuseUnderZeroRetention(organisation, request)
      return access.charge(caller, {
        work: () => service.search(request, { keyed: true, ...call, policy }),
        skuOf: searchSku,
        isTooLate,
      })
    },
    fetch: async (request, options = {}) => {
      await service.checkFetch(request)
      refuseUnderZeroRetention(organisation, request)
      return access.charge(caller, {
        work: () => service.fetch(request, { ...call, zdr, ...options }),
        skuOf: () => fetchSku(request),
        isTooLate,
      })
    },
  }
}
