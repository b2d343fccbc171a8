import type { LookupAddress } from 'node:dns'
import { LRUCache } from 'lru-cache'

/** Resolves a host name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

export interface AddressCacheOptions {
  /** How long an answer is kept, ms. Default 60,000. The resolver of the system does not return the time to live. */
  keepMs?: number
  /** How long a failure is kept, ms. Default 10,000. */
  keepFailureMs?: number
  /** Time limit for resolving a name, ms. Default 5,000. */
  timeoutMs?: number
  /** A monotonic clock, ms. */
  monotonicMs?: () => number
}

const namesKept = 10_000

/**
 * Caches the answers of a resolver. Concurrent callers for the same name share one request. An answer that takes too long is a
 * failure with the code `ETIMEDOUT`. Failures of the resolver are passed on unchanged.
 */
export function cachingResolver(resolve: Resolve, options: AddressCacheOptions = {}): Resolve {
  const { keepMs = 60_000, keepFailureMs = 10_000, timeoutMs = 5000, monotonicMs = () => performance.now() } = options
  const cache = new LRUCache<string, { answer: Promise<LookupAddress[]>; untilMs: number }>({ max: namesKept })
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
        // The callers get the error. The cache keeps it for a shorter time than an answer.
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
