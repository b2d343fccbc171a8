import { LRUCache } from 'lru-cache'

const CACHED = 10_000

/**
 * Caches what was found under keys. What was not found is looked up again each time. Concurrent lookups of one key share
 * one.
 */
export class LookupCache<Found extends object> {
  readonly #look: (key: string) => Promise<Found | undefined>
  readonly #maxAgeMs: number
  readonly #found = new LRUCache<string, Promise<Found | undefined>>({ max: CACHED })

  /** @param maxAgeMs - how long a result is used, from the begin of its lookup. Default: until {@link forget}. */
  constructor(look: (key: string) => Promise<Found | undefined>, maxAgeMs = 0) {
    this.#look = look
    this.#maxAgeMs = maxAgeMs
  }

  /** Forgets everything. A lookup that is running now is not cached, because what it reads may have changed. */
  forget(): void {
    this.#found.clear()
  }

  get(key: string): Promise<Found | undefined> {
    const known = this.#found.get(key)
    if (known) return known
    const looking = this.#look(key)
    // The age counts from here, because what is read now may change before it arrives.
    this.#found.set(key, looking, { ttl: this.#maxAgeMs, start: performance.now() })
    const drop = () => {
      if (this.#found.peek(key) === looking) this.#found.delete(key)
    }
    looking.then(found => {
      if (found === undefined) drop()
    }, drop)
    return looking
  }
}
