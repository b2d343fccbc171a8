import { SortedInstants } from './sorted-instants.ts'

/** The declared removals that ended captures of a segment: sparse, in memory. Immutable. */
export class DeclaredRemovals {
  /** The instant of each, by the ordinal of the capture. */
  readonly byOrdinal: ReadonlyMap<number, number>
  readonly #sorted: SortedInstants

  constructor(byOrdinal: ReadonlyMap<number, number>) {
    this.byOrdinal = byOrdinal
    this.#sorted = new SortedInstants(byOrdinal.values())
  }

  /** The number of removals up to an instant. */
  upTo(instant: number): number {
    return this.#sorted.upTo(instant)
  }
}
