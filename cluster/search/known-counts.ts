import type { CollectionSource } from '@asof/core/internal'
import { LRUCache } from 'lru-cache'

type Statistics = CollectionSource['statistics']

/** The instant of a count, and the state of the cluster in which the count holds. */
export interface CountedMoment {
  /** `ClusterState.rewrites` at the time of the count. */
  rewrites: number
  /** Epoch ms. A count as of this instant changes only if history is declared or purged. */
  instant: number
}

/**
 * Two instants, epoch ms. From `presentFrom` on, some capture was acquired that fulfills a condition, superseded ones included; up to
 * `absentUpTo` none was. Between the two, it is not known whether one was.
 */
interface Presence {
  presentFrom: number
  absentUpTo: number
}

const MAX_COUNTS = 100_000
const MAX_CONDITIONS = 100_000
const MAX_STATISTICS = 10_000

/**
 * The counts that one server has read from its cluster. A count as of an instant for which a search was answered stays true until history is
 * declared or purged.
 */
export class KnownCounts {
  readonly #counts = new LRUCache<string, number>({ max: MAX_COUNTS })
  readonly #statistics = new LRUCache<number, Statistics>({ max: MAX_STATISTICS })
  readonly #presence = new LRUCache<string, Presence>({ max: MAX_CONDITIONS })
  /** The share of the captures that fulfilled a condition, of those that stood at the last instant for which it was counted. */
  readonly #shares = new LRUCache<string, number>({ max: MAX_CONDITIONS })
  #rewrites = -1

  /**
   * Returns the number of captures that stood at an instant and fulfill a condition; undefined if it is not known. As of any other instant it
   * may be higher or lower.
   */
  count(name: string, { rewrites, instant }: CountedMoment): number | undefined {
    return rewrites === this.#rewrites ? this.#counts.get(`${instant} ${name}`) : undefined
  }

  /**
   * True if any capture that was acquired up to an instant fulfills a condition, superseded ones included; undefined if it is not known. If
   * none does, none that stood does either. If one does, it need not have stood.
   */
  isAcquired(name: string, { rewrites, instant }: CountedMoment): boolean | undefined {
    const known = rewrites === this.#rewrites ? this.#presence.get(name) : undefined
    if (!known) return undefined
    if (instant >= known.presentFrom) return true
    return instant <= known.absentUpTo ? false : undefined
  }

  /** Estimates the number of captures that stood and fulfill a condition, by its share as of another instant. Returns 0 if no share is known. */
  estimate(name: string, captures: number): number {
    const share = this.#shares.get(name) ?? 0
    return share > 0 ? Math.min(captures, Math.max(1, Math.round(share * captures))) : 0
  }

  /** Remembers a count. @param captures - number of all captures that stood at the instant. */
  learn(name: string, count: number, { rewrites, instant, captures }: CountedMoment & { captures: number }): void {
    if (!this.#begin(rewrites)) return
    this.#counts.set(`${instant} ${name}`, count)
    if (count > 0 && captures > 0) this.#shares.set(name, count / captures)
  }

  /** Remembers whether any capture that was acquired up to an instant fulfills a condition. */
  learnAcquired(name: string, isAcquired: boolean, { rewrites, instant }: CountedMoment): void {
    if (!this.#begin(rewrites)) return
    const { presentFrom, absentUpTo } = this.#presence.get(name) ?? {
      presentFrom: Number.POSITIVE_INFINITY,
      absentUpTo: Number.NEGATIVE_INFINITY,
    }
    this.#presence.set(name, {
      presentFrom: isAcquired ? Math.min(presentFrom, instant) : presentFrom,
      absentUpTo: isAcquired ? absentUpTo : Math.max(absentUpTo, instant),
    })
  }

  statistics({ rewrites, instant }: CountedMoment): Statistics | undefined {
    return rewrites === this.#rewrites ? this.#statistics.get(instant) : undefined
  }

  learnStatistics(statistics: Statistics, { rewrites, instant }: CountedMoment): void {
    if (this.#begin(rewrites)) this.#statistics.set(instant, statistics)
  }

  /** Clears counts of earlier states. Returns false if the given state is itself earlier than the known one. */
  #begin(rewrites: number): boolean {
    if (rewrites < this.#rewrites) return false
    if (rewrites > this.#rewrites) {
      this.#rewrites = rewrites
      this.#counts.clear()
      this.#statistics.clear()
      this.#presence.clear()
    }
    return true
  }
}
