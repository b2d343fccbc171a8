import type { Snapshot, SnapshotReads } from '../store/snapshots/snapshots.ts'
import type { PartialIndex } from './partial-index.ts'

/** The clock of reads of a part, epoch ms. */
export interface ReadClock {
  /** The time of the request. */
  requestAt: number
  /** The instant that "now" means: the last one as of which the whole index no longer changes. */
  instant: number
  /** Default: the reads are not sealed. */
  sealedAt?: number
}

/** Reads of the pages of a part, for all that reads pages and their histories. */
export class PartialReads implements SnapshotReads {
  readonly sealedAt: number
  readonly #part: PartialIndex
  readonly #clock: ReadClock

  constructor(part: PartialIndex, clock: ReadClock) {
    this.#part = part
    this.#clock = clock
    this.sealedAt = clock.sealedAt ?? Number.POSITIVE_INFINITY
  }

  get catalog(): SnapshotReads['catalog'] {
    return this.#part.catalog
  }

  currentInstant(): number {
    return this.#clock.requestAt
  }

  /** A part is never closed. */
  expectOpen(): void {}

  async read<Q extends { instant: number | undefined }, T>(
    prepare: (requestAt: number) => Q,
    work: (query: Q, snapshot: Snapshot) => T | Promise<T>,
  ): Promise<T> {
    const query = prepare(this.#clock.requestAt)
    const { instant = this.#clock.instant } = query
    return work(query, this.#part.snapshot(instant))
  }

  readNow<T>(work: (snapshot: Snapshot) => T | Promise<T>): Promise<T> {
    return this.read(
      () => ({ instant: undefined }),
      (_, snapshot) => work(snapshot),
    )
  }
}
