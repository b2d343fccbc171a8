import { LRUCache } from 'lru-cache'
import type { PostingCache } from '../segment/segment.ts'

/**
 * Share of the budget for what the store holds; the rest is for opened posting lists. Phrases need most of it: the median
 * one looks at 34 pieces of positions in an index of a million pages.
 */
const STORE_SHARE = 11 / 16
/** What an opened posting list costs in objects, besides its bytes; and knowing that there is none. Measured. */
const LIST_OVERHEAD_BYTES = 1500
const ABSENT_BYTES = 200

/** What one thread keeps in memory of the index so as not to read it again. */
export interface CacheBudget {
  storeCacheBytes: number
  postings: PostingCache
}

/** Divides a thread's budget between its caches. */
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
