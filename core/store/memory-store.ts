import type { ChunkSource } from '../segment/streams.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import { yieldWhenDue } from '../threads/yield-when-due.ts'
import type { Backup } from './backup/backup.ts'
import { BackupInPlace } from './backup/backup-in-place.ts'
import { BATCH_BYTES, type BackupSource } from './backup/copy-index.ts'
import { checksummed, verifiedValue } from './integrity/checksum.ts'
import {
  allSegments,
  allSupersessions,
  firstNumberOfKey,
  type KeyRange,
  segmentRange,
  supersessionRange,
} from './keys.ts'
import type { BodyParts, DocumentHead } from './records/documents.ts'
import type { TermVector } from './records/term-vector.ts'
import { SortedEntries } from './sorted-entries.ts'
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
  #entries = new SortedEntries()
  #bytes = 0
  readonly #reader: StoreReader

  /** @param cacheBytes - size of the cache for decoded values, bytes. */
  constructor(cacheBytes = CACHE_BYTES) {
    const getSync = (key: Uint8Array): Uint8Array | undefined => this.#entries.get(nameOf(key))?.stored
    this.#reader = new StoreReader({ getSync }, cacheBytes, this.cacheCounts)
  }

  /** Writes a batch: all of it, or nothing if an operation is not valid. */
  apply(operations: Iterable<Operation>): void {
    let entries = this.#entries
    let bytes = this.#bytes
    for (const operation of operations) {
      const name = nameOf(operation.key)
      const before = entries.get(name)
      if (before) bytes -= name.length + before.stored.length
      if (operation.type === 'put') {
        const stored = checksummed(operation.key, operation.value)
        entries = entries.with({ name, stored })
        bytes += name.length + stored.length
      } else entries = entries.without(name)
    }
    this.#entries = entries
    this.#bytes = bytes
  }

  async commit(operations: Operation[]): Promise<void> {
    this.apply(operations)
    await yieldWhenDue()
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
    const values = keys.map(key => this.get(key))
    await yieldWhenDue()
    return values
  }

  async *iterate({ gte, lt }: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array]> {
    for (const { name, stored } of this.#entries.between(nameOf(gte), nameOf(lt))) {
      const key = keyOf(name)
      yield [key, verifiedValue(key, stored)]
      await yieldWhenDue()
    }
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
      await this.commit(Array.from(this.#keys(range), key => ({ type: 'del', key })))
  }

  async compact(): Promise<void> {}

  async segmentsPresent(): Promise<Set<number>> {
    return new Set([allSegments, allSupersessions].flatMap(range => Array.from(this.#keys(range), firstNumberOfKey)))
  }

  *#keys({ gte, lt }: KeyRange): Generator<Uint8Array> {
    for (const { name } of this.#entries.between(nameOf(gte), nameOf(lt))) yield keyOf(name)
  }

  async bytes(): Promise<number> {
    return this.#bytes
  }

  async backup(
    target: string,
    signals: SharedArrayBuffer,
    onProgress?: (copiedBytes: number) => void,
  ): Promise<Backup> {
    return new BackupInPlace(sourceOf(this.#entries), target, signals, onProgress)
  }

  /** Deletes all values. */
  async close(): Promise<void> {
    this.clearCache()
    this.#entries = new SortedEntries()
    this.#bytes = 0
    // V8 frees the memory of kernels only between two turns, and a program may open and close many indexes in one.
    await yieldToEventLoop()
  }
}

/** What a backup copies: entries as they are now. */
function sourceOf(entries: SortedEntries): BackupSource {
  return {
    get: key => entries.get(nameOf(key))?.stored,
    async *batches({ gte, lt }) {
      let batch: [Uint8Array, Uint8Array][] = []
      let bytes = 0
      for (const { name, stored } of entries.between(nameOf(gte), nameOf(lt))) {
        batch.push([keyOf(name), stored])
        bytes += name.length + stored.length
        if (bytes < BATCH_BYTES) continue
        yield batch
        batch = []
        bytes = 0
      }
      if (batch.length > 0) yield batch
    },
  }
}

const nameOf = (key: Uint8Array): string => Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
const keyOf = (name: string): Uint8Array => new Uint8Array(Buffer.from(name, 'latin1'))
