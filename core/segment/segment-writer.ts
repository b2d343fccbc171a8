import { ByteWriter } from '../bytes/byte-buffer.ts'
import { type ColumnName, type Columns, columnOrder, encodeColumn } from './columns/columns.ts'
import { INLINE_POSTINGS, listUnit } from './dictionary/dictionary-format.ts'
import { DictionaryWriter } from './dictionary/dictionary-writer.ts'
import { encodePositions, positionsHeaderBytes } from './positions/positions-codec.ts'
import { encodePostings, type TermPostings } from './postings/postings-codec.ts'
import { type Saturation, saturationBy } from './ranking-model.ts'
import { ChunkedWriter, type ChunkSink, Stream } from './streams.ts'

/** The entry of a segment in the manifest. Plain JSON. */
export interface SegmentInfo {
  id: number
  captures: number
  terms: number
  /** Sum of the captures' weighted lengths. */
  totalLength: number
  minAcquiredAt: number
  maxAcquiredAt: number
  /** Number of bytes of all its chunks. */
  bytes: number
}

/** Writes a segment: its terms in ascending order, then {@link SegmentWriter.finish}. */
export class SegmentWriter {
  readonly #sink: ChunkSink
  readonly #columns: Columns
  readonly #dictionary: DictionaryWriter
  readonly #postings: ChunkedWriter
  readonly #positions: ChunkedWriter
  readonly #list = new ByteWriter(4096)
  /** The addresses and lengths of the lists of the current term in their streams. */
  readonly #place = { count: 0, postingsAt: 0, postingsBytes: 0, positionsAt: 0, positionsBytes: 0 }
  readonly #saturation: Saturation
  readonly #totalLength: number
  #bytes = 0

  /** @param columns - `supersededAt` may still change until {@link finish}; the other columns must be complete. */
  constructor(sink: ChunkSink, columns: Columns) {
    this.#sink = {
      put: (stream, chunk, bytes) => {
        this.#bytes += bytes.length
        sink.put(stream, chunk, bytes)
      },
    }
    this.#columns = columns
    this.#dictionary = new DictionaryWriter(this.#sink)
    this.#postings = new ChunkedWriter(this.#sink, Stream.postings)
    this.#positions = new ChunkedWriter(this.#sink, Stream.positions)
    this.#totalLength = sum(columns.lengths)
    this.#saturation = saturationBy(columns.lengths, this.averageLength)
  }

  /** Mean weighted length of the captures. */
  get averageLength(): number {
    return this.#totalLength / this.#columns.lengths.length
  }

  /** Adds a term, which must be greater than the one before. */
  add(term: string, postings: TermPostings): void {
    const bytes = Buffer.from(term)
    this.write(bytes, 0, bytes.length, postings)
  }

  /** Like {@link SegmentWriter.add}, for the term whose UTF-8 bytes are `bytes[start, end)`. */
  write(bytes: Uint8Array, start: number, end: number, postings: TermPostings): void {
    const place = this.#place
    this.#begin(postings.count)
    if (postings.count <= INLINE_POSTINGS) {
      this.#dictionary.write(bytes, start, end, place, postings)
      return
    }
    const list = this.#list
    list.clear()
    encodePostings(postings, this.#saturation, list)
    place.postingsBytes = list.length
    this.#postings.write(list.bytes, list.length)
    // About the size that the list needs: growing by doubling would take twice as much for the longest lists.
    list.clear(
      positionsHeaderBytes(postings.count) + 2 * postings.count + sum(postings.positionLengths, postings.count),
    )
    encodePositions(postings, list)
    place.positionsBytes = list.length
    this.#positions.write(list.bytes, list.length)
    this.#dictionary.write(bytes, start, end, place)
  }

  /** Like {@link SegmentWriter.write}, for more than `INLINE_POSTINGS` postings whose lists are encoded already. */
  writeLists(
    bytes: Uint8Array,
    start: number,
    end: number,
    { count, postings, positions }: { count: number; postings: Uint8Array; positions: Uint8Array },
  ): void {
    const place = this.#place
    this.#begin(count)
    place.postingsBytes = postings.length
    this.#postings.write(postings)
    place.positionsBytes = positions.length
    this.#positions.write(positions)
    this.#dictionary.write(bytes, start, end, place)
  }

  /** Sets the place where the lists of a term begin. */
  #begin(count: number): void {
    const place = this.#place
    place.count = count
    if (count > INLINE_POSTINGS) {
      this.#postings.align(listUnit(count))
      this.#positions.align(listUnit(count))
    }
    place.postingsAt = this.#postings.length
    place.positionsAt = this.#positions.length
  }

  /**
   * Writes the rest of the dictionary and of the lists, and the columns.
   *
   * @param skip - columns that the caller writes itself.
   */
  finish(id: number, skip: readonly ColumnName[] = []): SegmentInfo {
    this.#dictionary.finish()
    this.#postings.finish()
    this.#positions.finish()
    columnOrder.forEach((name, chunk) => {
      if (!skip.includes(name)) this.#sink.put(Stream.columns, chunk, encodeColumn(name, this.#columns[name]))
    })
    const { acquiredAt } = this.#columns
    return {
      id,
      captures: acquiredAt.length,
      terms: this.#dictionary.count,
      totalLength: this.#totalLength,
      minAcquiredAt: acquiredAt[0]!,
      maxAcquiredAt: acquiredAt[acquiredAt.length - 1]!,
      bytes: this.#bytes,
    }
  }
}

function sum(values: Uint32Array, count = values.length): number {
  let total = 0
  for (let i = 0; i < count; i++) total += values[i]!
  return total
}
