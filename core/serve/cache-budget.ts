import { LRUCache } from 'lru-cache'
import type { PostingCache } from '../segment/segment.ts'

/** Share of the budget for chunks as the store holds them; the rest is for opened posting lists. */
const CHUNK_SHARE = 0.25
/** What an opened posting list costs in objects, besides its bytes; and knowing that there is none. Measured. */
const LIST_OVERHEAD_BYTES = 1500
const ABSENT_BYTES = 200

/** What one thread keeps in memory of the index so as not to read it again. */
export interface CacheBudget {
  chunkCacheBytes: number
  postings: PostingCache
}

/** Divides a thread's budget between its caches. */
export function cacheBudget(bytes: number): CacheBudget {
  const chunkCacheBytes = Math.max(1, Math.floor(bytes * CHUNK_SHARE))
  return {
    chunkCacheBytes,
    postings: new LRUCache({
      maxSize: Math.max(1, Math.floor(bytes) - chunkCacheBytes),
      sizeCalculation: found => (found.list ? LIST_OVERHEAD_BYTES + found.list.bytes : ABSENT_BYTES),
    }),
  }
}
