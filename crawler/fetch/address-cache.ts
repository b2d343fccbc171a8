import type { LookupAddress } from 'node:dns'
import { LRUCache } from 'lru-cache'

/** Resolves a host name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

export interface AddressCacheOptions {
  /**
   * Time for which an answer is kept, ms. Default 60,000. The system's resolver does not report the answer's time to
   * live.
   */
  keepMs?: number
  /** Time for which a failure is kept, ms. Default 10,000. */
  keepFailureMs?: number
  /** Time limit for resolving a name, ms. Default 5,000. */
  timeoutMs?: number
  /** A monotonic clock, ms. */
  monotonicMs?: () => number
}

const NAMES_KEPT = 10_000

/**
 * Caches the answers of a resolver. Concurrent requests for one name are joined. A request that takes too long fails
 * with `ETIMEDOUT`. Failures of the resolver are passed on unchanged.
 */
export function cachingResolver(resolve: Resolve, options: AddressCacheOptions = {}): Resolve {
  const { keepMs = 60_000, keepFailureMs = 10_000, timeoutMs = 5000, monotonicMs = () => performance.now() } = options
  const cache = new LRUCache<string, { answer: Promise<LookupAddress[]>; untilMs: number }>({ max: NAMES_KEPT })
  return hostname => {
    const cached = cache.get(hostname)
    if (cached && cached.untilMs > monotonicMs()) return cached.answer
    const answer = withTimeout(resolve(hostname), hostname, timeoutMs)
    const entry = { answer, untilMs: Number.POSITIVE_INFINITY }
    cache.set(hostname, entry)
    answer.then(
      () => {
        entry.untilMs = monotonicMs() + keepMs
      },
      () => {
        // This handler only shortens the time for which a failure is cached. Callers get the error themselves.
        entry.untilMs = monotonicMs() + keepFailureMs
      },
    )
    return answer
  }
}

async function withTimeout<T>(work: Promise<T>, hostname: string, timeoutMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(Object.assign(new Error(`${hostname} did not resolve within ${timeoutMs} ms`), { code: 'ETIMEDOUT' }))
  }, timeoutMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
