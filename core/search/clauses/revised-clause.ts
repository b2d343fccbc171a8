import { lowerBound } from '../../bytes/binary-search.ts'
import type { WindowBits } from '../../kernels/window-bits.ts'
import type { RevisedAt } from '../../postings/revised-at.ts'
import { WINDOW } from '../../segment/postings/window-impacts.ts'
import type { Clause } from './clause.ts'

/**
 * A condition on metadata of captures, some of which were revised. For a revised capture the revision that is valid as of
 * the instant decides, for any other capture the postings or columns.
 */
export class RevisedClause implements Clause {
  readonly size: number
  readonly isExact: boolean
  readonly #acquired: Clause
  readonly #revised: RevisedAt
  readonly #test: (row: number) => boolean

  /**
   * @param acquired - the condition on metadata as acquired.
   * @param test - returns true if a row of the revisions fulfills the condition.
   */
  constructor(acquired: Clause, revised: RevisedAt, test: (row: number) => boolean) {
    this.#acquired = acquired
    this.#revised = revised
    this.#test = test
    this.size = acquired.size + revised.ordinals.length
    this.isExact = acquired.isExact
  }

  fill(base: number, out: WindowBits): void {
    this.#acquired.fill(base, out)
    const { ordinals, rows } = this.#revised
    for (let i = lowerBound(ordinals, ordinals.length, base); i < ordinals.length; i++) {
      const at = ordinals[i]! - base
      if (at >= WINDOW) return
      if (this.#test(rows[i]!)) out[at >>> 5]! |= 1 << (at & 31)
      else out[at >>> 5]! &= ~(1 << (at & 31))
    }
  }

  matches(ordinal: number): boolean {
    const { ordinals, rows } = this.#revised
    const i = lowerBound(ordinals, ordinals.length, ordinal)
    return i < ordinals.length && ordinals[i] === ordinal ? this.#test(rows[i]!) : this.#acquired.matches(ordinal)
  }
}
