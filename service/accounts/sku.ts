import type { FetchRequest } from '../contract/schemas.ts'
import type { AnsweredSearch } from '../use-cases/search.ts'

/** The SKUs of calls, spec part 1. */
export const skus = ['search.pro', 'search.realtime', 'fetch', 'fetch.live'] as const

/** The price in US dollars of 1,000 prepaid credits of an organization (spec part 8). */
export const THOUSAND_CREDITS_USD = '4.00'

export type Sku = (typeof skus)[number]

/** Returns the SKU of an answered search: by its ranking, or that of a fetch if the query was a URL. */
export function searchSku({ response, fetched }: AnsweredSearch): Sku {
  if (fetched !== undefined) return fetched === 'live' ? 'fetch.live' : 'fetch'
  return response.mode === 'realtime' ? 'search.realtime' : 'search.pro'
}

export function fetchSku({ live }: Pick<FetchRequest, 'live'>): Sku {
  return live ? 'fetch.live' : 'fetch'
}
