import type { Backup } from './backup/backup.ts'
import type { KeyRange } from './keys.ts'
import type { CacheCounts, StoredValues } from './store-reader.ts'

/** One operation of an atomic batch. */
export type Operation = { type: 'put'; key: Uint8Array; value: Uint8Array } | { type: 'del'; key: Uint8Array }

/** The reads from which a commit or a deletion is prepared. */
export interface ReadableStore extends StoredValues {
  getMany(keys: Uint8Array[]): Promise<(Uint8Array | undefined)[]>
  /** Yields the keys and values of a range as they are at the first read, in ascending order. */
  iterate(range: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array]>
}

/**
 * The values of an index: reads, atomic batches, and cached chunks of segments. A store keeps keys and bytes without
 * knowing their meaning. `FolderStore` keeps them on disk, `MemoryStore` in memory.
 */
export interface Store extends ReadableStore {
  readonly cacheCounts: CacheCounts
  /** True if the values are kept after {@link close}. */
  readonly isLasting: boolean
  /** The generation of the last commit that was acknowledged before the store was opened; 0 if unknown. */
  readonly acknowledgedGeneration: number
  /** True after a failed write, until {@link reopen}. */
  readonly mustReopen: boolean
  /**
   * Writes a batch atomically. When the promise resolves, the batch is kept as durably as the store can.
   *
   * @throws ASOF_STORE_WRITE - the batch may or may not be written. {@link reopen} must be called before the next
   *   commit.
   */
  commit(operations: Operation[]): Promise<void>
  /** Records that a commit is about to be acknowledged. */
  acknowledge(generation: number): void
  /**
   * Opens the store again after a failed write. No other thread may have it open.
   *
   * @param reload - called before the store accepts writes again. It must reload everything that was read from the
   *   store.
   * @throws ASOF_STORE_WRITE - the store cannot be reopened now. The caller may try again later.
   */
  reopen(reload: () => Promise<void>): Promise<void>
  /** Empties the cache. @param share - the share of its bytes that it may take from now on. Default: all. */
  clearCache(share?: number): void
  /** Deletes the values of a segment that the manifest does not name. If interrupted, it may be called again. */
  clearSegment(segment: number): Promise<void>
  /**
   * Frees the space of deleted and overwritten values of a range. Reads and commits continue meanwhile.
   *
   * @throws ASOF_STORE_READ, ASOF_STORE_WRITE
   */
  compact(range: KeyRange): Promise<void>
  /** Returns all segments with values in the store, including those that the manifest does not name. */
  segmentsPresent(): Promise<Set<number>>
  /** Returns the space that the store takes, on disk or in memory, bytes. */
  bytes(): Promise<number>
  /**
   * Starts to copy the index to a new LevelDB folder. Nothing may be written before the promise resolves. Later writes
   * are not copied.
   *
   * @param signals - the buffer of `MergeSignals`, which slow the copy down while searches run.
   * @param onProgress - called with the number of bytes copied so far.
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  backup(target: string, signals: SharedArrayBuffer, onProgress?: (copiedBytes: number) => void): Promise<Backup>
  /** Waits for running writes, then closes the store. */
  close(): Promise<void>
}
