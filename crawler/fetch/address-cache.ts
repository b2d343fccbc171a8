import type { LookupAddress } from 'node:dns'
import { LRUCache } from 'lru-cache'

export type Resolve = (hostname: string) => Promise<LookupAddress[]>

export interface AddressCacheOptions {
  /** How long an answer is good, ms. Default 60,000: the system's resolver does not tell its time to live. */
  keepMs?: number
  /** How long a failure is remembered, ms. Default 10,000. */
  keepFailureMs?: number
  /** The longest that a name may take, ms. Default 5,000. */
  timeoutMs?: number
  /** A clock that never goes back, ms. */
  monotonicMs?: () => number
}

const namesKept = 10_000

/**
 * Asks a resolver for each name once in a while, and once for all who ask at the same time. An answer that takes too
 * long is a failure, `ETIMEDOUT`; the resolver's own failures come as they are.
 */
export function cachingResolver(resolve: Resolve, options: AddressCacheOptions = {}): Resolve {
  const { keepMs = 60_000, keepFailureMs = 10_000, timeoutMs = 5000, monotonicMs = () => performance.now() } = options
  const cache = new LRUCache<string, { answer: Promise<LookupAddress[]>; untilMs: number }>({ max: namesKept })
  return hostname => {
    const known = cache.get(hostname)
    if (known && known.untilMs > monotonicMs()) return known.answer
    const answer = withTimeout(resolve(hostname), hostname, timeoutMs)
    const entry = { answer, untilMs: Number.POSITIVE_INFINITY }
    cache.set(hostname, entry)
    answer.then(
      () => {
        entry.untilMs = monotonicMs() + keepMs
      },
      () => {
        // Whoever asked is told; here it only counts that it failed.
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
