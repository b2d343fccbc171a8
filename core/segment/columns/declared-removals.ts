import { upperBound } from '../../bytes/binary-search.ts'

/** The declared removals that ended captures of a segment: sparse, in memory. Immutable. */
export class DeclaredRemovals {
  /** The instant of each removal, by the ordinal of the capture that it ended. */
  readonly byOrdinal: ReadonlyMap<number, number>
  /** The instants of all removals, ascending. */
  readonly #instants: Float64Array

  constructor(byOrdinal: ReadonlyMap<number, number>) {
    this.byOrdinal = byOrdinal
    this.#instants = Float64Array.from(byOrdinal.values()).sort()
  }

  /** The number of removals up to an instant. */
  upTo(instant: number): number {
    return upperBound(this.#instants, this.#instants.length, instant)
  }
}
