import type { Snapshot, SnapshotReads, Snapshots } from './snapshots.ts'

/**
 * Reads of an index as if the clock had stopped at one instant. They see nothing that was acquired later. They reject a later
 * instant as one in the future.
 */
export class SealedReads implements SnapshotReads {
  readonly sealedAt: number
  readonly #snapshots: Snapshots

  /** @param sealedAt - epoch ms, not after the current instant. */
  constructor(snapshots: Snapshots, sealedAt: number) {
    this.#snapshots = snapshots
    this.sealedAt = sealedAt
  }

  get catalog(): SnapshotReads['catalog'] {
    return this.#snapshots.catalog
  }

  currentInstant(): number {
    return this.sealedAt
  }

  expectOpen(): void {
    this.#snapshots.expectOpen()
  }

  read<Q extends { asOf: number | undefined }, T>(
    prepare: (requestedAt: number) => Q,
    work: (query: Q, snapshot: Snapshot) => T | Promise<T>,
  ): Promise<T> {
    return this.#snapshots.read(
      () => {
        const query = prepare(this.sealedAt)
        return { query, asOf: query.asOf ?? this.sealedAt }
      },
      ({ query }, snapshot) => work(query, snapshot),
    )
  }

  /** Runs `work` on a snapshot as of the seal. */
  readNow<T>(work: (snapshot: Snapshot) => T | Promise<T>): Promise<T> {
    return this.read(
      () => ({ asOf: undefined }),
      (_, snapshot) => work(snapshot),
    )
  }
}
