import { PostingCache } from '../segment/posting-cache.ts'
import { type SharedListMemory, SharedLists } from '../segment/shared-lists.ts'

/**
 * Share of the cache budget for chunks and records of the store. The rest is for open posting lists, which have a cache of their own,
 * because opening the list of a common word takes longer than searching it. The share was measured with 14 kinds of queries in turn.
 */
const STORE_SHARE = 6 / 16
/** Share of the budget for posting lists that search threads share. The rest is for what each thread has for itself: short lists and arrays. */
const SHARED_SHARE = 5 / 8

/** Share of the cache budget that the calling thread has while search threads run. The rest is for these. */
export const CALLING_THREAD_SHARE = 1 / 16

/** The caches of one thread. */
export interface CacheBudget {
  storeCacheBytes: number
  postings: PostingCache
}

/** Divides the cache budget of a thread between its caches. */
export function cacheBudget(bytes: number): CacheBudget {
  const { storeCacheBytes, listBytes } = parts(bytes)
  return { storeCacheBytes, postings: new PostingCache(listBytes) }
}

/**
 * Makes the memory that search threads share.
 *
 * @param bytes - the cache budget of each thread.
 * @returns undefined for a single thread, which keeps its lists for itself, and where no such memory can be made.
 */
export function sharedListMemory(threads: number, bytes: number): SharedListMemory | undefined {
  const { listBytes } = parts(bytes)
  const shared = Math.floor(listBytes * SHARED_SHARE)
  return threads < 2
    ? undefined
    : SharedLists.memory(threads, { listBytes: threads * shared, ownBytes: listBytes - shared })
}

/** Like {@link cacheBudget}, for one of the threads that share a memory. */
export function sharingBudget(bytes: number, memory: SharedListMemory, thread: number): CacheBudget {
  const { storeCacheBytes, listBytes } = parts(bytes)
  const own = listBytes - Math.floor(listBytes * SHARED_SHARE)
  return { storeCacheBytes, postings: new PostingCache(own, new SharedLists(memory, thread)) }
}

function parts(bytes: number): { storeCacheBytes: number; listBytes: number } {
  const storeCacheBytes = Math.max(1, Math.floor(bytes * STORE_SHARE))
  return { storeCacheBytes, listBytes: Math.max(0, Math.floor(bytes) - storeCacheBytes) }
}
