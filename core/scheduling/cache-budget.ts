import { LRUCache } from 'lru-cache'
import type { PostingCache } from '../segment/segment.ts'

/**
 * Share of the budget for chunks and records of the store; the rest is for open posting lists. Phrase queries need most of
 * it: in an index of a million pages, the median one reads 34 chunks of positions.
 */
const STORE_SHARE = 11 / 16
/** Measured memory of an open posting list, besides its bytes, and of a cache entry for an absent one. */
const LIST_OVERHEAD_BYTES = 1500
const ABSENT_BYTES = 200

/** The caches of one thread. */
export interface CacheBudget {
  storeCacheBytes: number
  postings: PostingCache
}

/** Divides the cache budget of a thread between its caches. */
export function cacheBudget(bytes: number): CacheBudget {
  const storeCacheBytes = Math.max(1, Math.floor(bytes * STORE_SHARE))
  return {
    storeCacheBytes,
    postings: new LRUCache({
      maxSize: Math.max(1, Math.floor(bytes) - storeCacheBytes),
      sizeCalculation: found => (found.list ? LIST_OVERHEAD_BYTES + found.list.bytes : ABSENT_BYTES),
    }),
  }
}
