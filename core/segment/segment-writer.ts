import { ByteWriter } from '../bytes/byte-buffer.ts'
import { type Columns, columnOrder, encodeColumn } from './columns/columns.ts'
import { INLINE_POSTINGS, listUnit, STANDING_STORED_FROM } from './dictionary/dictionary-format.ts'
import { DictionaryWriter } from './dictionary/dictionary-writer.ts'
import { encodePositions, positionsHeaderBytes } from './positions/positions-codec.ts'
import { encodePostings, type TermPostings } from './postings/postings-codec.ts'
import { type Saturation, saturationBy } from './ranking-model.ts'
import { EndOrder } from './standing/end-order.ts'
import { StandingWriter } from './standing/standing-writer.ts'
import { ChunkedWriter, type ChunkSink, postingsStream, Stream } from './streams.ts'

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

/** The lists of a term that are encoded already. */
export interface EncodedLists {
  count: number
  postings: Uint8Array
  positions: Uint8Array
  /** Number of captures that have ended, and the standing list. 0 and empty if none has, or if the list is too short for one. */
  ended: number
  standing: Uint8Array
}

/** Writes a segment: its terms in ascending order, then {@link SegmentWriter.finish}. */
export class SegmentWriter {
  readonly #sink: ChunkSink
  readonly #columns: Columns
  readonly #dictionary: DictionaryWriter
  readonly #postings: ChunkedWriter
  readonly #longPostings: ChunkedWriter
  readonly #positions: ChunkedWriter
  readonly #standingLists: ChunkedWriter
  readonly #list = new ByteWriter(4096)
  readonly #sizes = { count: 0, postingsBytes: 0, positionsBytes: 0, ended: 0, standingAt: 0, standingBytes: 0 }
  readonly #saturation: Saturation
  readonly #totalLength: number
  /** Writes the standing lists. Undefined if no capture has ended. */
  readonly standing: StandingWriter | undefined
  #bytes = 0

  /** @param columns - must be complete. */
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
    this.#longPostings = new ChunkedWriter(this.#sink, Stream.longPostings)
    this.#positions = new ChunkedWriter(this.#sink, Stream.positions)
    this.#standingLists = new ChunkedWriter(this.#sink, Stream.standing)
    const ends = EndOrder.of(columns.supersededAt, columns.lengths)
    this.standing = ends && new StandingWriter(columns.acquiredAt, ends)
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
    const sizes = this.#sizes
    const { count } = postings
    sizes.count = count
    if (count <= INLINE_POSTINGS) {
      this.#dictionary.write(bytes, start, end, sizes, postings)
      return
    }
    const list = this.#list
    list.clear()
    encodePostings(postings, this.#saturation, list)
    sizes.postingsBytes = list.length
    this.#writePostings(count, list.bytes, list.length)
    // About the size that the list needs: growing by doubling would take twice as much for the longest lists.
    list.clear(positionsHeaderBytes(count) + 2 * count + sum(postings.positionLengths, count))
    encodePositions(postings, list)
    sizes.positionsBytes = list.length
    this.#writePositions(count, list.bytes, list.length)
    list.clear()
    const hasEnds = this.standing && count >= STANDING_STORED_FROM
    const ended = hasEnds ? this.standing.write(postings.ordinals, count, list) : 0
    this.#writeStanding(ended, list.bytes, list.length)
    this.#dictionary.write(bytes, start, end, sizes)
  }

  /** Like {@link SegmentWriter.write}, for more than `INLINE_POSTINGS` postings whose lists are encoded already. */
  writeLists(bytes: Uint8Array, start: number, end: number, lists: EncodedLists): void {
    const sizes = this.#sizes
    const { count, postings, positions, ended, standing } = lists
    sizes.count = count
    sizes.postingsBytes = postings.length
    sizes.positionsBytes = positions.length
    this.#writePostings(count, postings, postings.length)
    this.#writePositions(count, positions, positions.length)
    this.#writeStanding(ended, standing, standing.length)
    this.#dictionary.write(bytes, start, end, sizes)
  }

  #writePostings(count: number, bytes: Uint8Array, length: number): void {
    const stream = postingsStream(length) === Stream.postings ? this.#postings : this.#longPostings
    stream.align(listUnit(count))
    stream.write(bytes, length)
  }

  #writePositions(count: number, bytes: Uint8Array, length: number): void {
    this.#positions.align(listUnit(count))
    this.#positions.write(bytes, length)
  }

  #writeStanding(ended: number, bytes: Uint8Array, length: number): void {
    const sizes = this.#sizes
    sizes.ended = ended
    sizes.standingAt = this.#standingLists.length
    sizes.standingBytes = length
    this.#standingLists.write(bytes, length)
  }

  /** Writes the rest of the dictionary and of the lists, and the columns. */
  finish(id: number): SegmentInfo {
    this.#dictionary.finish()
    this.#postings.finish()
    this.#longPostings.finish()
    this.#positions.finish()
    this.#standingLists.finish()
    this.standing?.release()
    columnOrder.forEach((name, chunk) => {
      this.#sink.put(Stream.columns, chunk, encodeColumn(name, this.#columns[name]))
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
