import type { NearestQuery } from '@asof/core/internal'
import type { TermQuery } from '../terms/term-queries.ts'
import type { NearCapture } from '../vectors/compared-vectors.ts'
import { conditionQuery, necessaryOf } from './condition-query.ts'

/** Number of captures whose conditions one request to OpenSearch tests. */
const TESTED_AT_ONCE = 1_000

/** The captures whose vectors are near that of a query and that may fulfill its conditions. Decides which of them are brought into view. */
export class NearestCaptures {
  /** Queries of the term index that every hit matches. */
  readonly filter: readonly TermQuery[]
  /** The captures that are not in view and may be among the nearest, nearest first. */
  wanted: readonly number[] = []
  /** Number of captures that were brought into view. */
  brought = 0
  #most = 1
  readonly #fulfills = new Map<number, boolean>()

  constructor(conditions: NearestQuery['conditions']) {
    const noPatterns = { patterns: [], acquiredPatterns: [] }
    this.filter = necessaryOf(conditions.map(one => conditionQuery(one, noPatterns)))
  }

  /** Sets the captures that a search wants. @param last - captures with a lower score are not wanted. */
  want(
    captures: readonly NearCapture[],
    { most, last, inView }: { most: number; last: number; inView: ReadonlySet<number> },
  ): void {
    this.#most = most
    const end = captures.findIndex(({ score }) => score < last)
    this.wanted = captures
      .slice(0, end < 0 ? captures.length : end)
      .flatMap(({ id }) => (inView.has(id) || this.#fulfills.get(id) === false ? [] : [id]))
  }

  /** The next captures whose conditions OpenSearch has to test; empty if the nearest are known to fulfill them. */
  get untested(): number[] {
    if (this.filter.length === 0 || this.#fulfills.has(this.wanted[0]!)) return []
    return this.wanted.filter(id => !this.#fulfills.has(id)).slice(0, TESTED_AT_ONCE)
  }

  /** Enters the result of a test. @param found - those of `asked` that fulfill the conditions. */
  enter(asked: readonly number[], found: readonly number[]): void {
    for (const id of asked) this.#fulfills.set(id, false)
    for (const id of found) this.#fulfills.set(id, true)
    this.wanted = this.wanted.filter(id => this.#fulfills.get(id) !== false)
  }

  /** Returns the captures to bring into view next: as many as results are wanted, then twice as many each time. */
  next(): number[] {
    const isOpen = (id: number): boolean => this.filter.length === 0 || this.#fulfills.get(id) === true
    const ids = this.wanted.filter(isOpen).slice(0, Math.max(this.#most, this.brought))
    this.brought += ids.length
    return ids
  }
}
