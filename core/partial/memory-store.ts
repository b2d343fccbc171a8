import type { ChunkSource } from '../segment/streams.ts'
import { checksummed } from '../store/integrity/checksum.ts'
import type { KeyRange } from '../store/keys.ts'
import type { BodyParts, DocumentHead } from '../store/records/documents.ts'
import type { TermVector } from '../store/records/term-vector.ts'
import type { Operation, ReadableStore } from '../store/store.ts'
import { StoreReader } from '../store/store-reader.ts'
import type { KeptCapture } from './kept-capture.ts'

/** Enough for all that is read of the few pages of one call. */
const CACHE_BYTES = 64 * 1024 * 1024

/** The stored values of a part of an index, in memory. */
export class MemoryStore implements ReadableStore {
  /** The values with their checksums, by their keys as latin1 strings. */
  readonly #values = new Map<string, Uint8Array>()
  /** The captures that several parts share, whose contents are not among the values. */
  readonly #kept = new Map<number, KeptCapture>()
  readonly #reader = new StoreReader({ getSync: key => this.#values.get(nameOf(key)) }, CACHE_BYTES)

  apply(operations: Iterable<Operation>): void {
    for (const operation of operations) {
      const { key } = operation
      if (operation.type === 'put') this.#values.set(nameOf(key), checksummed(key, operation.value))
      else this.#values.delete(nameOf(key))
    }
    this.#reader.clear()
  }

  /** Makes captures readable that are kept for several parts. */
  keep(captures: readonly KeptCapture[]): void {
    for (const capture of captures) this.#kept.set(capture.captureId, capture)
    this.apply(captures.flatMap(({ values }) => values))
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#reader.get(key)
  }

  async getMany(keys: Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return keys.map(key => this.get(key))
  }

  async *iterate({ gte, lt }: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array]> {
    const [from, to] = [nameOf(gte), nameOf(lt)]
    const names = [...this.#values.keys()].filter(name => from <= name && name < to).sort()
    for (const name of names) {
      const key = new Uint8Array(Buffer.from(name, 'latin1'))
      const value = this.get(key)
      if (value) yield [key, value]
    }
  }

  head(captureId: number): DocumentHead | undefined {
    return this.#kept.get(captureId)?.head ?? this.#reader.head(captureId)
  }

  termVector(captureId: number): TermVector | undefined {
    return this.#kept.get(captureId)?.termVector ?? this.#reader.termVector(captureId)
  }

  body(captureId: number): BodyParts | undefined {
    return this.#kept.get(captureId)?.body ?? this.#reader.body(captureId)
  }

  chunks(segment: number): ChunkSource {
    return this.#reader.chunks(segment)
  }
}

const nameOf = (key: Uint8Array): string => Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
