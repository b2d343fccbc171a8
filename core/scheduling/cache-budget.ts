import { LRUCache } from 'lru-cache'
import type { PostingCache } from '../segment/segment.ts'

/**
 * Share of the cache budget for chunks and records of the store. The rest is for open posting lists. Phrase queries need most of this
 * share: in an index of a million pages, the median phrase query reads 34 chunks of positions.
 */
const STORE_SHARE = 11 / 16
/** Memory of an open posting list besides its bytes, and of a cache entry for a missing list. Measured. */
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
