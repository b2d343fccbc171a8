import { PostingCache } from '../segment/posting-cache.ts'

/**
 * Share of the cache budget for chunks and records of the store. The rest is for open posting lists. Phrase queries
 * need the large share: in an index of a million pages, the median phrase query reads 34 chunks of positions.
 */
const STORE_SHARE = 11 / 16

/** The caches of one thread. */
export interface CacheBudget {
  storeCacheBytes: number
  postings: PostingCache
}

/** Divides the cache budget of a thread between its caches. */
export function cacheBudget(bytes: number): CacheBudget {
  const storeCacheBytes = Math.max(1, Math.floor(bytes * STORE_SHARE))
  return { storeCacheBytes, postings: new PostingCache(Math.floor(bytes) - storeCacheBytes) }
}
