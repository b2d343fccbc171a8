import { PostingCache } from '../segment/posting-cache.ts'

/**
 * Share of the cache budget for chunks and records of the store. The rest is for open posting lists, which have a cache of their own,
 * because opening the list of a common word takes longer than searching it. The share was measured with 14 kinds of queries in turn.
 */
const STORE_SHARE = 6 / 16

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
