import type { AnsweredSearch, FetchRequest } from '../index.ts'

/** What is sold, spec part 1. */
export const skus = ['search.pro', 'search.realtime', 'fetch', 'fetch.live'] as const

export type Sku = (typeof skus)[number]

/** What an answered search is sold as: by the ranking that served it, or as a fetch when its query was a URL. */
export function searchSku({ response, fetched }: AnsweredSearch): Sku {
  if (fetched !== undefined) return fetched === 'live' ? 'fetch.live' : 'fetch'
  return response.mode === 'realtime' ? 'search.realtime' : 'search.pro'
}

export function fetchSku({ live }: Pick<FetchRequest, 'live'>): Sku {
  return live ? 'fetch.live' : 'fetch'
}
