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
import { SortedEntries } from './sorted-entries.ts'
import type { Operation, Store } from './store.ts'
import { CacheCounts, StoreReader } from './store-reader.ts'
import { StoreReads } from './store-reads.ts'

/** Default size of the cache, bytes: enough for the few pages that one call reads. */
const CACHE_BYTES = 64 * 1024 * 1024

/** A store in memory. Its values end with the process. Only the thread that made it can read it. */
export class MemoryStore extends StoreReads implements Store {
  readonly isLasting = false
  readonly acknowledgedGeneration = 0
  readonly mustReopen = false
  readonly cacheCounts = new CacheCounts()
  /** The values with their checksums, by their keys as latin1 strings. */
  readonly #values = new Map<string, Uint8Array>()
  /** The values in the order of their keys, as they were at the last call of {@link #entries}. */
  #sorted = new SortedEntries()
  /** The keys whose values have changed since that call. */
  readonly #changed = new Set<string>()
  #bytes = 0
  readonly #reader: StoreReader

  /** @param cacheBytes - size of the cache for decoded values, bytes. */
  constructor(cacheBytes = CACHE_BYTES) {
    super()
    this.#reader = new StoreReader({ getSync: key => this.#values.get(nameOf(key)) }, cacheBytes, this.cacheCounts)
  }

  protected override get reader(): StoreReader {
    return this.#reader
  }

  /** Writes a batch: all of it, or nothing if an operation is not valid. */
  apply(operations: Iterable<Operation>): void {
    const changes = Array.from(operations, operation => ({
      name: nameOf(operation.key),
      stored: operation.type === 'put' ? checksummed(operation.key, operation.value) : undefined,
    }))
    for (const { name, stored } of changes) {
      const before = this.#values.get(name)
      if (before) this.#bytes -= name.length + before.length
      if (stored) {
        this.#values.set(name, stored)
        this.#bytes += name.length + stored.length
      } else this.#values.delete(name)
      this.#changed.add(name)
    }
  }

  /** Returns the values in the order of their keys, as they are now. */
  #entries(): SortedEntries {
    for (const name of this.#changed) {
      const stored = this.#values.get(name)
      this.#sorted = stored ? this.#sorted.with({ name, stored }) : this.#sorted.without(name)
    }
    this.#changed.clear()
    return this.#sorted
  }

  async commit(operations: Operation[]): Promise<void> {
    this.apply(operations)
    await yieldWhenDue()
  }

  acknowledge(): void {}

  async reopen(reload: () => Promise<void>): Promise<void> {
    await reload()
  }

  async getMany(keys: Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const values = keys.map(key => this.get(key))
    await yieldWhenDue()
    return values
  }

  async *iterate({ gte, lt }: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array]> {
    for (const { name, stored } of this.#entries().between(nameOf(gte), nameOf(lt))) {
      const key = keyOf(name)
      yield [key, verifiedValue(key, stored)]
      await yieldWhenDue()
    }
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
    for (const { name } of this.#entries().between(nameOf(gte), nameOf(lt))) yield keyOf(name)
  }

  async bytes(): Promise<number> {
    return this.#bytes
  }

  async backup(
    target: string,
    signals: SharedArrayBuffer,
    onProgress?: (copiedBytes: number) => void,
  ): Promise<Backup> {
    return new BackupInPlace(sourceOf(this.#entries()), target, signals, onProgress)
  }

  /** Deletes all values. */
  async close(): Promise<void> {
    this.clearCache()
    this.#values.clear()
    this.#changed.clear()
    this.#sorted = new SortedEntries()
    this.#bytes = 0
    // V8 frees the memory of kernels only between two turns of the event loop, and a program may open and close many indexes in
    // one turn.
    await yieldToEventLoop()
  }
}

/** Returns the state that a backup copies: the given entries. */
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
