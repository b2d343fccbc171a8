import { AsofError } from '@asof/extract/errors'
import { release } from '../bytes/memory.ts'
import type { ListMerger } from '../kernels/list-merger.ts'
import { type ColumnName, type Columns, createColumns } from '../segment/columns/columns.ts'
import { INLINE_POSTINGS } from '../segment/dictionary/dictionary-format.ts'
import { appendInline } from '../segment/dictionary/inline-postings.ts'
import type { TermCursor } from '../segment/dictionary/term-cursor.ts'
import { Dictionary } from '../segment/dictionary/term-dictionary.ts'
import { PostingsAccumulator } from '../segment/postings/postings-accumulator.ts'
import type { SegmentWriter } from '../segment/segment-writer.ts'
import {
  type ByteStreamId,
  type ChunkSource,
  copy,
  copyRange,
  postingsStream,
  Stream,
  viewRange,
} from '../segment/streams.ts'
import { compareTerms, firstBytesOf } from '../text/terms/term-bytes.ts'
import { decodeAllPositions, decodeAllPostings } from './whole-list.ts'

/** Marks a capture that the merged segment leaves out. */
export const OMITTED = 0xffff_ffff

/** The columns of the merged segment, and the new ordinal of each capture. */
export interface MergePlan {
  columns: Columns
  /** For each source, the new ordinal of each old ordinal, or {@link OMITTED}. New ordinals ascend. */
  mappings: Uint32Array[]
}

/** A segment to be merged. */
export interface MergeSource {
  captures: number
  /** The ordinals of deleted captures, ascending. */
  tombstones: Uint32Array
  /** When its captures were superseded, as the index has it now. The merge frees the array. */
  supersededAt: Float64Array
  /** Returns a copy of another column. The merge frees it. */
  column<N extends Exclude<ColumnName, 'supersededAt'>>(name: N): Columns[N]
}

/**
 * Orders the captures of several segments by acquiredAt, then URL descending, and leaves out deleted ones. Needs memory
 * for the columns of the new segment, and for one column of each source at a time.
 *
 * @param urlOf - called only if two sources have captures of the same millisecond. Returns undefined for a capture that
 *   was purged after the merge began. Such a capture comes first of its millisecond, where it does not change the order
 *   of the others.
 */
export function planMerge(
  sources: readonly MergeSource[],
  urlOf: (captureId: number) => string | undefined,
): MergePlan {
  const mappings = sources.map(source => {
    const mapping = new Uint32Array(source.captures)
    for (const ordinal of source.tombstones) mapping[ordinal] = OMITTED
    return mapping
  })
  const columns = createColumns(
    sources.reduce((total, source) => total + source.captures - source.tombstones.length, 0),
  )
  orderCaptures(sources, urlOf, mappings, columns)
  for (const [s, source] of sources.entries()) {
    moveColumn(source.supersededAt, mappings[s]!, columns.supersededAt)
    for (const name of ['publishedAt', 'lengths', 'declared'] as const)
      moveColumn(source.column(name), mappings[s]!, columns[name])
  }
  return { columns, mappings }
}

/** Fills the mappings, and the columns acquiredAt and captureIds. */
function orderCaptures(
  sources: readonly MergeSource[],
  urlOf: (captureId: number) => string | undefined,
  mappings: readonly Uint32Array[],
  columns: Columns,
): void {
  const acquiredAt = sources.map(source => source.column('acquiredAt'))
  const captureIds = sources.map(source => source.column('captureIds'))
  const heads = sources.map(() => 0)
  const precedes = (a: number, b: number): boolean => {
    const byTime = acquiredAt[a]![heads[a]!]! - acquiredAt[b]![heads[b]!]!
    if (byTime !== 0) return byTime < 0
    const idA = captureIds[a]![heads[a]!]!
    const idB = captureIds[b]![heads[b]!]!
    const urlA = urlOf(idA)
    const urlB = urlOf(idB)
    if (urlA === undefined || urlB === undefined) return urlA === undefined
    return urlA === urlB ? idA < idB : urlA > urlB
  }
  for (let next = 0; next < columns.acquiredAt.length; next++) {
    let best = -1
    for (let s = 0; s < sources.length; s++) {
      while (heads[s]! < mappings[s]!.length && mappings[s]![heads[s]!] === OMITTED) heads[s]!++
      if (heads[s]! < mappings[s]!.length && (best < 0 || precedes(s, best))) best = s
    }
    const ordinal = heads[best]!++
    mappings[best]![ordinal] = next
    columns.acquiredAt[next] = acquiredAt[best]![ordinal]!
    columns.captureIds[next] = captureIds[best]![ordinal]!
  }
  for (const column of [...acquiredAt, ...captureIds]) release(column)
}

/** Copies a source's column to its new ordinals, and frees the column. */
function moveColumn<N extends ColumnName>(from: Columns[N], mapping: Uint32Array, to: Columns[N]): void {
  for (let ordinal = 0; ordinal < mapping.length; ordinal++)
    if (mapping[ordinal] !== OMITTED) to[mapping[ordinal]!] = from[ordinal]!
  release(from)
}

/** Number of terms that are merged between two yields. */
const TERMS_AT_ONCE = 64

/**
 * Writes the terms of the sources to `writer` with the new ordinals. Yields after every few terms.
 *
 * @param sources - the chunks of each segment.
 * @param lists - merges lists in WebAssembly. Without it, or if it leaves a term out, TypeScript merges them.
 */
export function* mergeTerms(
  sources: readonly ChunkSource[],
  mappings: readonly Uint32Array[],
  writer: SegmentWriter,
  lists: ListMerger | undefined,
): Generator<void> {
  const heads = sources.map((source, s) => new MergeHead(source, s, mappings[s]!)).filter(head => head.next())
  // If the sources are in order of time, their merged postings need no sorting.
  heads.sort((a, b) => a.firstOrdinal - b.firstOrdinal)
  const gathered = new PostingsAccumulator()
  const least: MergeHead[] = []
  for (let terms = 1; heads.length > 0; terms++) {
    least.length = 0
    for (const head of heads) {
      const difference = least.length === 0 ? 0 : head.compareTo(least[0]!)
      if (difference < 0) least.length = 0
      if (difference <= 0) least.push(head)
    }
    if (!lists || !mergeLists(least, lists, writer)) gatherLists(least, gathered, writer)
    for (const head of least) if (!head.next()) heads.splice(heads.indexOf(head), 1)
    if (terms % TERMS_AT_ONCE === 0) yield
  }
}

/** Merges the lists of the current term of `heads` in WebAssembly. If TypeScript must merge them, writes nothing and returns false. */
function mergeLists(heads: readonly MergeHead[], lists: ListMerger, writer: SegmentWriter): boolean {
  let postings = 0
  for (const { cursor } of heads) postings += cursor.count
  if (postings <= INLINE_POSTINGS) return false
  lists.begin()
  for (const head of heads) if (!head.place(lists)) return false
  const merged = lists.merge()
  // So few postings must be inline in the dictionary, where only TypeScript writes them.
  if (!merged || (merged.count > 0 && merged.count <= INLINE_POSTINGS)) return false
  const { term, termBytes } = heads[0]!.cursor
  if (merged.count > 0) writer.writeLists(term, 0, termBytes, merged)
  return true
}

/** Merges the lists of the current term of `heads` in TypeScript. */
function gatherLists(heads: readonly MergeHead[], gathered: PostingsAccumulator, writer: SegmentWriter): void {
  let postings = 0
  let positionBytes = 0
  for (const head of heads) {
    postings += head.cursor.count
    positionBytes += head.positionBytes
  }
  gathered.begin(postings, positionBytes)
  for (const head of heads) head.gather(gathered)
  const { term, termBytes } = heads[0]!.cursor
  if (gathered.count > 0) writer.write(term, 0, termBytes, gathered.sorted())
}

/** A cursor over the terms of one source. */
class MergeHead {
  readonly cursor: TermCursor
  readonly firstOrdinal: number
  readonly #source: ChunkSource
  /** Index of the source. */
  readonly #number: number
  readonly #mapping: Uint32Array
  #prefix = 0

  constructor(source: ChunkSource, number: number, mapping: Uint32Array) {
    this.#number = number
    this.cursor = new Dictionary(source).cursor()
    this.firstOrdinal = mapping.find(ordinal => ordinal !== OMITTED) ?? 0
    this.#source = source
    this.#mapping = mapping
  }

  /** Advances to the next term. Returns false at the end. */
  next(): boolean {
    const { cursor } = this
    if (!cursor.next()) return false
    if (cursor.count > this.#mapping.length)
      throw new AsofError('ASOF_STORE_CORRUPT', 'a posting list is longer than its segment')
    this.#prefix = firstBytesOf(cursor.term, 0, cursor.termBytes)
    return true
  }

  /** Approximate size of the current term's decoded positions, bytes. */
  get positionBytes(): number {
    const { count, inlineFrom, inlineTo, positionsBytes } = this.cursor
    return count <= INLINE_POSTINGS ? inlineTo - inlineFrom : Math.ceil(positionsBytes * 1.5)
  }

  compareTo(other: MergeHead): number {
    if (this.#prefix !== other.#prefix) return this.#prefix - other.#prefix
    const { cursor } = this
    return compareTerms(cursor.term, 0, cursor.termBytes, other.cursor.term, 0, other.cursor.termBytes)
  }

  /** Copies the lists of the current term to the memory of the kernel. Returns false if they do not fit. */
  place(into: ListMerger): boolean {
    const { count, chunk, inlineFrom, inlineTo, postingsAt, postingsBytes, positionsAt, positionsBytes } = this.cursor
    const source = this.#number
    if (count <= INLINE_POSTINGS) {
      const at = into.reserve(inlineTo - inlineFrom)
      if (at === undefined) return false
      copy(chunk, inlineFrom, inlineTo, into.bytes, at)
      into.add({
        source,
        count,
        postingsAt: at,
        postingsBytes: inlineTo - inlineFrom,
        positionsAt: at,
        positionsBytes: 0,
      })
      return true
    }
    const postings = this.#placeRange(into, postingsStream(postingsBytes), postingsAt, postingsBytes)
    if (postings === undefined) return false
    const positions = this.#placeRange(into, Stream.positions, positionsAt, positionsBytes)
    if (positions === undefined) return false
    into.add({ source, count, postingsAt: postings, postingsBytes, positionsAt: positions, positionsBytes })
    return true
  }

  #placeRange(into: ListMerger, stream: ByteStreamId, offset: number, length: number): number | undefined {
    const at = into.reserve(length)
    if (at !== undefined) copyRange(this.#source, stream, offset, length, into.bytes, at)
    return at
  }

  /**
   * Adds the postings of the current term with their new ordinals, and leaves out omitted captures. The caller must
   * have reserved room for the postings, but not for their positions.
   */
  gather(into: PostingsAccumulator): void {
    const { count, postingsAt, postingsBytes, positionsAt, positionsBytes } = this.cursor
    const from = into.count
    const positionsFrom = into.positionBytes
    if (count <= INLINE_POSTINGS) {
      into.reserve(0, this.positionBytes)
      appendInline(count, this.cursor.chunk, this.cursor.inlineFrom, into)
    } else {
      const postings = viewRange(this.#source, postingsStream(postingsBytes), postingsAt, postingsBytes)
      decodeAllPostings(postings, count, into.ordinals, into.frequencies, from)
      const positions = viewRange(this.#source, Stream.positions, positionsAt, positionsBytes)
      decodeAllPositions(positions, count, into, from)
      into.count = from + count
    }
    this.#translate(into, from, positionsFrom)
  }

  /** Replaces the ordinals of the postings from `from` on by the new ones, and removes the postings of omitted captures. */
  #translate(into: PostingsAccumulator, from: number, positionsFrom: number): void {
    const { ordinals, frequencies, positionLengths, positions } = into
    const mapping = this.#mapping
    let count = from
    let read = positionsFrom
    let written = positionsFrom
    for (let i = from; i < into.count; i++) {
      if (ordinals[i]! >= mapping.length)
        throw new AsofError('ASOF_STORE_CORRUPT', 'a posting refers to a missing capture')
      const ordinal = mapping[ordinals[i]!]!
      const length = positionLengths[i]!
      if (ordinal !== OMITTED) {
        ordinals[count] = ordinal
        if (count !== i) {
          frequencies[count] = frequencies[i]!
          positionLengths[count] = length
          positions.copyWithin(written, read, read + length)
        }
        count++
        written += length
      }
      read += length
    }
    into.count = count
    into.positionBytes = written
  }
}
