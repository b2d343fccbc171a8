import type { AnsweredSearch, FetchOptions, FetchRequest, FetchResponse, SearchRequest, Service } from '../index.ts'
import type { Access } from './access.ts'
import type { Caller } from './authentication.ts'
import type { Draw } from './ledger.ts'
import { fetchSku, searchSku } from './sku.ts'
import { refuseUnderZeroRetention } from './zero-retention.ts'

/** An answer, and what it was charged; no draw when it came too late. */
export interface Charged<T> {
  answer: T
  draw?: Draw
}

/** The use cases for one caller with credits: what a retention policy does not allow is refused, an answer is charged. */
export interface ChargedCalls {
  search(request: SearchRequest): Promise<Charged<AnsweredSearch>>
  fetch(request: FetchRequest, options?: Pick<FetchOptions, 'onReader'>): Promise<Charged<FetchResponse>>
}

/** Whether an answer can still be delivered. */
export interface Delivery {
  /** Whether the caller has been answered otherwise meanwhile, or has gone; then nothing is charged. */
  isTooLate: () => boolean
  /** Aborts when the caller has gone or is answered otherwise: what waits for its turn is given up. */
  signal?: AbortSignal
}

/**
 * The calls of `caller`, whatever carries them. A request that can't be answered is refused before a credit is promised
 * to it: 400, then what a retention policy does not allow, then 402.
 */
export function chargedCalls(service: Service, access: Access, caller: Caller, delivery: Delivery): ChargedCalls {
  const { isTooLate, signal } = delivery
  const { organisation } = caller
  const { id: client, zdr, wizards: wizardsByDefault } = organisation
  const policy = { zdr, wizardsByDefault }
  const call = { client, ...(signal && { signal }) }
  return {
    search: async request => {
      await service.checkSearch(request, policy)
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
