import type { ChunkSource } from '../segment/streams.ts'
import type { Backup } from './backup/backup.ts'
import { BackupInPlace } from './backup/backup-in-place.ts'
import { checksummed, verifiedValue } from './integrity/checksum.ts'
import {
  allSegments,
  allSupersessions,
  everything,
  firstNumberOfKey,
  type KeyRange,
  segmentRange,
  supersessionRange,
} from './keys.ts'
import type { BodyParts, DocumentHead } from './records/documents.ts'
import type { TermVector } from './records/term-vector.ts'
import { SortedNames } from './sorted-names.ts'
import type { Operation, Store } from './store.ts'
import { CacheCounts, StoreReader } from './store-reader.ts'

/** Enough for what is read of the few pages of one call. */
const CACHE_BYTES = 64 * 1024 * 1024

/** A store in memory. Its values end with the process. Only the thread that made it can read it. */
export class MemoryStore implements Store {
  readonly isLasting = false
  readonly acknowledgedGeneration = 0
  readonly mustReopen = false
  readonly cacheCounts = new CacheCounts()
  /** The values with their checksums, by their keys as latin1 strings. */
  readonly #values = new Map<string, Uint8Array>()
  /** The keys of the values, which sort as their bytes do. */
  readonly #names = new SortedNames()
  #bytes = 0
  readonly #reader: StoreReader

  /** @param cacheBytes - size of the cache for decoded values, bytes. */
  constructor(cacheBytes = CACHE_BYTES) {
    this.#reader = new StoreReader({ getSync: key => this.#values.get(nameOf(key)) }, cacheBytes, this.cacheCounts)
  }

  /** Writes a batch: all of it, or nothing if an operation is not valid. */
  apply(operations: Iterable<Operation>): void {
    const changes = Array.from(operations, operation => ({
      name: nameOf(operation.key),
      value: operation.type === 'put' ? checksummed(operation.key, operation.value) : undefined,
    }))
    for (const { name, value } of changes) {
      const before = this.#values.get(name)
      if (before) this.#bytes -= name.length + before.length
      if (value) {
        if (!before) this.#names.add(name)
        this.#values.set(name, value)
        this.#bytes += name.length + value.length
      } else if (before) {
        this.#names.delete(name)
        this.#values.delete(name)
      }
    }
  }

  async commit(operations: Operation[]): Promise<void> {
    this.apply(operations)
  }

  acknowledge(): void {}

  async reopen(reload: () => Promise<void>): Promise<void> {
    await reload()
  }

  /**
   * @throws ASOF_STORE_CORRUPT
   */
  get(key: Uint8Array): Uint8Array | undefined {
    return this.#reader.get(key)
  }

  async getMany(keys: Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return keys.map(key => this.get(key))
  }

  async *iterate({ gte, lt }: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array]> {
    for (const [key, stored] of this.#entries({ gte, lt })) yield [key, verifiedValue(key, stored)]
  }

  /** Returns the keys of a range and their values with checksums, as they are now. */
  #entries({ gte, lt }: KeyRange): [Uint8Array, Uint8Array][] {
    return this.#names.between(nameOf(gte), nameOf(lt)).map(name => [keyOf(name), this.#values.get(name)!])
  }

  head(captureId: number): DocumentHead | undefined {
    return this.#reader.head(captureId)
  }

  termVector(captureId: number): TermVector | undefined {
    return this.#reader.termVector(captureId)
  }

  body(captureId: number): BodyParts | undefined {
    return this.#reader.body(captureId)
  }

  chunks(segment: number): ChunkSource {
    return this.#reader.chunks(segment)
  }

  clearCache(): void {
    this.#reader.clear()
  }

  async clearSegment(segment: number): Promise<void> {
    for (const range of [segmentRange(segment), supersessionRange(segment)])
      this.apply(this.#entries(range).map(([key]) => ({ type: 'del', key })))
  }

  async compact(): Promise<void> {}

  async segmentsPresent(): Promise<Set<number>> {
    return new Set(
      [allSegments, allSupersessions].flatMap(range => this.#entries(range)).map(([key]) => firstNumberOfKey(key)),
    )
  }

  async bytes(): Promise<number> {
    return this.#bytes
  }

  async backup(
    target: string,
    signals: SharedArrayBuffer,
    onProgress?: (copiedBytes: number) => void,
  ): Promise<Backup> {
    return new BackupInPlace(this.#entries(everything), target, signals, onProgress)
  }

  /** Deletes all values. */
  async close(): Promise<void> {
    this.clearCache()
    this.#values.clear()
    this.#names.clear()
  }
}

const nameOf = (key: Uint8Array): string => Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
const keyOf = (name: string): Uint8Array => new Uint8Array(Buffer.from(name, 'latin1'))
