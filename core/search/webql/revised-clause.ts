import { lowerBound, WINDOW } from '../../segment/posting-list.ts'
import type { Revisions } from '../../segment/revisions.ts'
import type { Clause } from './clause.ts'
import type { WindowBits } from './window-bits.ts'

/** The captures of a segment whose metadata are not those of their acquisition any more as of an instant. */
export interface RevisedAt {
  /** Ascending. */
  ordinals: Uint32Array
  /** Of each the row that is valid. */
  rows: Uint32Array
}

const known = new WeakMap<Revisions, RevisedAt & { instant: number }>()

/** Worked out once for each instant that is asked about in a row. */
export function revisedAt(revisions: Revisions, instant: number): RevisedAt {
  const before = known.get(revisions)
  if (before?.instant === instant) return before
  const valid = [...revisions.validAt(instant)]
  const revised = {
    instant,
    ordinals: Uint32Array.from(valid, ({ ordinal }) => ordinal),
    rows: Uint32Array.from(valid, ({ row }) => row),
  }
  known.set(revisions, revised)
  return revised
}

/**
 * A condition on metadata: of captures that are as they were acquired the postings or columns know, of the others the
 * revision that is valid as of the instant.
 */
export class RevisedClause implements Clause {
  readonly size: number
  readonly isExact: boolean
  readonly #acquired: Clause
  readonly #revised: RevisedAt
  readonly #test: (row: number) => boolean

  /**
   * @param acquired - the condition on metadata as acquired.
   * @param test - whether the condition holds for the state that a row of the revisions describes.
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
      const at = ordinals[i] - base
      if (at >= WINDOW) return
      if (this.#test(rows[i])) out[at >>> 5] |= 1 << (at & 31)
      else out[at >>> 5] &= ~(1 << (at & 31))
    }
  }

  holds(ordinal: number): boolean {
    const { ordinals, rows } = this.#revised
    const i = lowerBound(ordinals, ordinals.length, ordinal)
    return i < ordinals.length && ordinals[i] === ordinal ? this.#test(rows[i]) : this.#acquired.holds(ordinal)
  }
}
