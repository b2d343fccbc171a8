import { lowerBound, partitionPoint, upperBound } from '../bytes/binary-search.ts'
import { BLOCK } from '../bytes/bit-packing.ts'
import { ByteWriter } from '../bytes/byte-buffer.ts'
import { popCount } from '../bytes/pop-count.ts'
import type { Arena } from './arena.ts'
import { type Columns, columnOrder, decodeColumn } from './columns/columns.ts'
import type { DeclaredRemovals } from './columns/declared-removals.ts'
import { dayOf, publishDays } from './columns/publish-days.ts'
import type { Revisions } from './columns/revisions.ts'
import type { TermEntry } from './dictionary/dictionary-format.ts'
import { Dictionary } from './dictionary/term-dictionary.ts'
import { KeptArray } from './kept-array.ts'
import { encodePositions, type ListBytes, PositionList, signaturesAt } from './positions/positions-codec.ts'
import type { KeptTerms, PostingCache, SegmentTerm } from './posting-cache.ts'
import { PostingList } from './postings/posting-list.ts'
import type { TermPostings } from './postings/postings-codec.ts'
import { type Saturation, saturationBy } from './ranking-model.ts'
import type { SegmentInfo } from './segment-writer.ts'
import { type ListKey, SHARED_FROM_BYTES } from './shared-lists.ts'
import { StandingCounts } from './standing/standing-counts.ts'
import { StandingList } from './standing/standing-list.ts'
import { TermStanding } from './standing/term-standing.ts'
import {
  type ChunkSource,
  chunkAround,
  chunkBytes,
  copy,
  copyRange,
  keepingLast,
  postingsStream,
  readRange,
  Stream,
  viewRange,
} from './streams.ts'

/** Number of ordinals per entry of the running sums. */
const SUM_EVERY = 128

/** If more captures than this have one instant, a capture among them is found by a sorted array, not by a scan. */
const MAX_SCANNED = 64

interface DeclaredTombstones {
  /** The tombstones that were counted. If they change, the segment gets another array. */
  tombstones: Uint32Array
  /** For each number n, how many of the first n tombstones are declared captures. */
  declared: Uint32Array
}

/** A written segment, open for reading. Only `supersededAt`, the tombstones, the revisions and the removals change. */
export class Segment {
  readonly info: SegmentInfo
  readonly columns: Columns
  readonly dictionary: Dictionary
  /** Mean weighted length, with which the impacts of its posting lists were computed. */
  readonly averageLength: number
  /** The ordinals of purged and expired captures, ascending. Posting lists hold them until a merge leaves them out. */
  tombstones: Uint32Array = new Uint32Array(0)
  /** Undefined if there are none. */
  removals: DeclaredRemovals | undefined
  /** True if a capture had no publish date when it was acquired. */
  readonly #hasUndated: boolean
  readonly #source: ChunkSource
  readonly #cache: PostingCache
  readonly #saturation: Saturation
  readonly #lengthSums: Float64Array
  readonly #declaredSums: Uint32Array
  #declaredTombstones: DeclaredTombstones | undefined
  #revisions: Revisions | undefined
  readonly #terms: KeptTerms = new Map()
  readonly #standing: StandingCounts
  /** The ordinals by the numbers of their captures. Undefined until it is needed. */
  #byCaptureId: Uint32Array | undefined
  /** True if no length takes more than two bytes. */
  readonly #fitsNarrow: boolean
  /** One bit for each capture: 1 if it is superseded, or was at any time since the segment was opened. */
  readonly #ended: Uint32Array
  readonly #keptDays = new KeptArray<Uint16Array>()
  readonly #keptLengths = new KeptArray<Uint16Array | Uint32Array>()
  readonly #keptEnded = new KeptArray<Uint32Array>()
  /** The instant of the revisions whose days the array of {@link publishDaysAt} has now. NaN if it has no days of revisions. */
  #publishDaysAt = Number.NaN
  readonly #open = (term: string): SegmentTerm | undefined => {
    const entry = this.dictionary.find(term)
    if (!entry) return undefined
    const key = this.#sharedKey(entry)
    const shared = key && this.#cache.sharedList(key, this.#saturation)
    const { list, part } = shared ?? { list: this.list(entry), part: undefined }
    return { list, entry, signatures: new KeptArray(), standing: new TermStanding(), key, part }
  }

  constructor(info: SegmentInfo, columns: Columns, source: ChunkSource, cache: PostingCache) {
    this.info = info
    this.columns = columns
    this.dictionary = new Dictionary(source)
    this.averageLength = info.totalLength / info.captures
    this.#hasUndated = columns.publishedAt.some(Number.isNaN)
    this.#source = source
    this.#cache = cache
    this.#saturation = saturationBy(columns.lengths, this.averageLength)
    this.#lengthSums = runningSums(columns.lengths)
    this.#fitsNarrow = columns.lengths.every(length => length <= 0xffff)
    this.#ended = new Uint32Array(Math.ceil(info.captures / 32))
    for (let i = 0; i < info.captures; i++) if (columns.supersededAt[i]! < Number.POSITIVE_INFINITY) this.#markEnded(i)
    this.#declaredSums = Uint32Array.from(runningSums(columns.declared))
    this.#standing = new StandingCounts(columns, cache, entry => this.#standingList(entry))
  }

  /**
   * Reads the columns of a segment and opens it.
   *
   * @throws ASOF_STORE_CORRUPT - a chunk is missing or damaged.
   */
  static open(info: SegmentInfo, source: ChunkSource, cache: PostingCache): Segment {
    const column = <N extends keyof Columns>(name: N): Columns[N] =>
      decodeColumn(name, source.get(Stream.columns, columnOrder.indexOf(name)), info.captures)
    const columns: Columns = {
      acquiredAt: column('acquiredAt'),
      publishedAt: column('publishedAt'),
      supersededAt: column('supersededAt'),
      lengths: column('lengths'),
      captureIds: column('captureIds'),
      declared: column('declared'),
    }
    return new Segment(info, columns, source, cache)
  }

  get captures(): number {
    return this.info.captures
  }

  /** True if any capture has no publish date at some time. */
  get hasUndated(): boolean {
    return this.#hasUndated || this.#revisions?.hasUndated === true
  }

  /** The changes of captures besides their text; undefined if there are none. */
  get revisions(): Revisions | undefined {
    return this.#revisions
  }

  /** True if a capture has a revision that searches know, or a declared removal ended it. */
  isRevised(ordinal: number): boolean {
    const isInRevisions = (this.#revisions?.rowAt(ordinal, Number.POSITIVE_INFINITY) ?? -1) >= 0
    return isInRevisions || this.removals?.byOrdinal.has(ordinal) === true
  }

  /** Sets the instant from which another capture of the URL, or its removal, is valid. */
  supersede(ordinal: number, supersededAt: number): void {
    this.#standing.change(ordinal, this.columns.supersededAt[ordinal]!, supersededAt)
    this.columns.supersededAt[ordinal] = supersededAt
    this.#markEnded(ordinal)
    this.#cache.delete(this.#keptEnded)
  }

  #markEnded(ordinal: number): void {
    this.#ended[ordinal >>> 5]! |= 1 << (ordinal & 31)
  }

  /** The columns as they were written, and what has changed since then. */
  written(): { columns: Columns; superseded: { ordinal: number; supersededAt: number }[] } {
    const ends = this.#standing.writtenEnds()
    const superseded: { ordinal: number; supersededAt: number }[] = []
    for (const [ordinal, supersededAt] of this.columns.supersededAt.entries())
      if (supersededAt !== ends[ordinal]) superseded.push({ ordinal, supersededAt })
    return { columns: { ...this.columns, supersededAt: ends }, superseded }
  }

  /** True if any capture has ended: it was superseded, removed, purged or expired. */
  get hasEnded(): boolean {
    return this.#standing.hasEnded
  }

  /** Number and weighted length of the captures that stood at an instant. */
  standing(instant: number): { captures: number; length: number } {
    const ordinalEnd = this.ordinalEndAt(instant)
    return this.#standing.totals(instant, ordinalEnd, sumUpTo(this.columns.lengths, this.#lengthSums, ordinalEnd))
  }

  /** Number of captures with a term that stood at an instant. @param ordinalEnd - see {@link ordinalEndAt}. */
  frequency(term: SegmentTerm, instant: number, ordinalEnd: number): number {
    return this.#standing.frequency(term, instant, ordinalEnd)
  }

  /** Like {@link frequency}, for a term whose list has not been opened. Opens the list only if the dictionary does not have the number. */
  frequencyOf(entry: TermEntry, instant: number, ordinalEnd: number): number {
    return (
      this.#standing.frequencyUnopened(entry, instant) ??
      this.#standing.frequency({ list: this.list(entry), entry }, instant, ordinalEnd)
    )
  }

  /** Number of the captures of a set that stood at an instant. @param bits - one bit for each capture. */
  standingIn(bits: Uint32Array, instant: number): number {
    const ordinalEnd = this.ordinalEndAt(instant)
    const { supersededAt } = this.columns
    const ended = this.#ended
    let count = 0
    for (let word = 0; word * 32 < ordinalEnd; word++) {
      const from = word * 32
      const below = ordinalEnd - from < 32 ? (1 << (ordinalEnd - from)) - 1 : -1
      const held = bits[word]! & below
      count += popCount(held)
      for (let left = held & ended[word]!; left !== 0; left &= left - 1)
        if (!(supersededAt[from + 31 - Math.clz32(left & -left)]! > instant)) count--
    }
    return count
  }

  /** Calls a function with the ordinals below `ordinalEnd` of the captures that had ended by an instant, ascending. */
  eachEnded(instant: number, ordinalEnd: number, visit: (ordinal: number) => void): void {
    if (!this.hasEnded) return
    const { supersededAt } = this.columns
    for (let word = 0; word * 32 < ordinalEnd; word++)
      for (let left = this.#ended[word]!; left !== 0; left &= left - 1) {
        const ordinal = word * 32 + 31 - Math.clz32(left & -left)
        if (ordinal < ordinalEnd && !(supersededAt[ordinal]! > instant)) visit(ordinal)
      }
  }

  /** Returns one bit for each capture, for the kernel: 1 if it may be superseded. Undefined if no capture is. */
  endedBits(): Uint32Array | undefined {
    const ended = this.#ended
    if (!this.hasEnded) return undefined
    return this.#cache.array(this.#keptEnded, { type: Uint32Array, length: ended.length }, out => out.set(ended))
  }

  /** The number of declared revisions and removals up to an instant. */
  declaredUpTo(instant: number): number {
    return (this.#revisions?.declaredUpTo(instant) ?? 0) + (this.removals?.upTo(instant) ?? 0)
  }

  /** Replaces the revisions. */
  revise(revisions: Revisions | undefined): void {
    this.#revisions = revisions
    this.#cache.delete(this.#keptDays)
    this.#publishDaysAt = Number.NaN
  }

  /** The publish date of a capture that is valid at an instant, epoch ms; NaN if unknown. */
  publishedAt(ordinal: number, instant: number): number {
    const revisions = this.#revisions
    const row = revisions ? revisions.rowAt(ordinal, instant) : -1
    return revisions && row >= 0 ? revisions.publishedAt[row]! : this.columns.publishedAt[ordinal]!
  }

  /** The {@link publishDays} as of an instant. The array is valid until this is called with another instant. */
  publishDaysAt(instant: number): Uint16Array {
    const { publishedAt } = this.columns
    const days = this.#cache.array(this.#keptDays, { type: Uint16Array, length: publishedAt.length }, out => {
      publishDays(publishedAt, out)
      this.#publishDaysAt = Number.NaN
    })
    const revisions = this.#revisions
    if (!revisions || this.#publishDaysAt === instant) return days
    for (const ordinal of revisions.ordinals) days[ordinal] = dayOf(publishedAt[ordinal]!)
    for (const { ordinal, row } of revisions.validAt(instant)) days[ordinal] = dayOf(revisions.publishedAt[row]!)
    this.#publishDaysAt = instant
    return days
  }

  /** The number of captures acquired at or before `instant`. Their ordinals are those below this number. */
  ordinalEndAt(instant: number): number {
    if (instant >= this.info.maxAcquiredAt) return this.captures
    return upperBound(this.columns.acquiredAt, this.captures, instant)
  }

  /** The ordinal of the first capture acquired at or after `instant`. */
  firstFrom(instant: number): number {
    if (instant <= this.info.minAcquiredAt) return 0
    return lowerBound(this.columns.acquiredAt, this.captures, instant)
  }

  /** Captures and declared captures among the ordinals below `ordinalEnd`, without tombstones. */
  totals(ordinalEnd: number): { captures: number; declared: number } {
    const declared = sumUpTo(this.columns.declared, this.#declaredSums, ordinalEnd)
    const { tombstones } = this
    if (tombstones.length === 0) return { captures: ordinalEnd, declared }
    const before = lowerBound(tombstones, tombstones.length, ordinalEnd)
    return { captures: ordinalEnd - before, declared: declared - this.#declaredAmongTombstones()[before]! }
  }

  /** For each number n, how many of the first n tombstones are declared captures. */
  #declaredAmongTombstones(): Uint32Array {
    const { tombstones } = this
    if (this.#declaredTombstones?.tombstones === tombstones) return this.#declaredTombstones.declared
    const declared = new Uint32Array(tombstones.length + 1)
    for (const [i, ordinal] of tombstones.entries()) declared[i + 1] = declared[i]! + this.columns.declared[ordinal]!
    this.#declaredTombstones = { tombstones, declared }
    return declared
  }

  /** The ordinal of a capture; −1 if the segment does not hold it. */
  ordinalOf(captureId: number, acquiredAt: number): number {
    const end = upperBound(this.columns.acquiredAt, this.captures, acquiredAt)
    const from = lowerBound(this.columns.acquiredAt, end, acquiredAt)
    const { captureIds } = this.columns
    if (end - from <= MAX_SCANNED) {
      const at = captureIds.subarray(from, end).indexOf(captureId)
      return at < 0 ? -1 : from + at
    }
    // An archive may declare all of its pages at one instant.
    this.#byCaptureId ??= Uint32Array.from(captureIds.keys()).sort((a, b) => captureIds[a]! - captureIds[b]!)
    const order = this.#byCaptureId
    const ordinal = order[partitionPoint(order.length, i => captureIds[order[i]!]! < captureId)] ?? end
    return captureIds[ordinal] === captureId && ordinal >= from && ordinal < end ? ordinal : -1
  }

  /** A term with its posting list, from the cache if possible; undefined if the segment does not hold it. */
  term(term: string): SegmentTerm | undefined {
    return this.#cache.term(this.#terms, term, this.#open)
  }

  /** The memory that a kernel reads the segment from; undefined if nothing of it lies there. */
  get arena(): Arena | undefined {
    return this.#cache.arena
  }

  /** The column `lengths` for the kernel, in two bytes each if all fit. */
  narrowLengths(): Uint16Array | Uint32Array {
    const { lengths } = this.columns
    const kept = this.#keptLengths
    return this.#fitsNarrow
      ? this.#cache.array(kept, { type: Uint16Array, length: lengths.length }, out => out.set(lengths))
      : this.#cache.array(kept, { type: Uint32Array, length: lengths.length }, out => out.set(lengths))
  }

  /** The positions of a term. Those of a posting are read when they are needed. */
  positions(entry: TermEntry): PositionList {
    const { inline } = entry
    if (inline) {
      const writer = new ByteWriter(inline.positions.length + 16)
      encodePositions(inline, writer)
      const bytes = writer.finish()
      const list: ListBytes = {
        range: (offset, length) => bytes.subarray(offset, offset + length),
        around: () => ({ bytes, from: 0 }),
        copy: (offset, length, into, at) => copy(bytes, offset, offset + length, into, at),
      }
      return new PositionList(list, inline.count, bytes.length)
    }
    const source = keepingLast(this.#source)
    const { positionsAt } = entry
    const list: ListBytes = {
      range: (offset, length) => viewRange(source, Stream.positions, positionsAt + offset, length),
      around: offset => {
        const { bytes, from } = chunkAround(source, Stream.positions, positionsAt + offset)
        return { bytes, from: from - positionsAt }
      },
      copy: (offset, length, into, at) => copyRange(source, Stream.positions, positionsAt + offset, length, into, at),
    }
    return new PositionList(list, entry.count, entry.positionsBytes)
  }

  /** The next-word signatures of all postings of a term; undefined if the postings are inline in the dictionary. */
  signatures({ entry, signatures }: SegmentTerm): Uint8Array | undefined {
    const { inline, count, positionsAt } = entry
    if (inline) return undefined
    const at = positionsAt + signaturesAt(Math.floor(count / BLOCK))
    const isOnce = count >= chunkBytes(Stream.positions)
    return this.#cache.array(signatures, { type: Uint8Array, length: count }, out =>
      out.set(viewRange(this.#source, Stream.positions, at, count, isOnce)),
    )
  }

  /** All postings of a term with their positions, in the form that the writer takes. */
  postings(entry: TermEntry): TermPostings {
    if (entry.inline) return entry.inline
    const list = this.list(entry)
    const { count } = entry
    const ordinals = new Uint32Array(list.blocks * BLOCK)
    const frequencies = new Uint32Array(list.blocks * BLOCK)
    for (let block = 0; block < list.blocks; block++) {
      list.ordinals(block, ordinals.subarray(block * BLOCK))
      list.frequenciesLessOne(block, frequencies.subarray(block * BLOCK))
    }
    for (let i = 0; i < count; i++) frequencies[i]!++
    const positionLengths = new Uint32Array(count)
    const positions = new ByteWriter(entry.positionsBytes)
    this.positions(entry).appendAll(count, positionLengths, positions)
    return {
      count,
      ordinals,
      frequencies,
      positionLengths,
      positions: positions.bytes.subarray(0, positions.length),
    }
  }

  /** What identifies the list of a term for all threads; undefined if each thread has it for itself. */
  #sharedKey({ inline, postingsAt, postingsBytes }: TermEntry): ListKey | undefined {
    if (!this.#cache.sharesLists || inline || postingsBytes < SHARED_FROM_BYTES) return undefined
    return { segment: this.info.id, stream: postingsStream(postingsBytes), at: postingsAt }
  }

  #standingList({ standingAt, standingBytes, count, ended }: TermEntry): StandingList {
    const bytes = readRange(this.#source, Stream.standing, standingAt, standingBytes, true)
    return StandingList.decode(bytes, count, ended)
  }

  /** The posting list of a term, read anew and not cached. */
  list(entry: TermEntry): PostingList {
    if (entry.inline) return PostingList.inline(entry.inline, this.captures, this.#saturation)
    const { postingsAt, postingsBytes } = entry
    const stream = postingsStream(postingsBytes)
    const bytes = readRange(this.#source, stream, postingsAt, postingsBytes, stream === Stream.longPostings)
    return PostingList.decode(bytes, entry.count, this.captures, this.#saturation)
  }
}

function runningSums(values: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(Math.floor(values.length / SUM_EVERY) + 1)
  let total = 0
  for (let i = 0; i < values.length; i++) {
    if (i % SUM_EVERY === 0) sums[i / SUM_EVERY] = total
    total += values[i]!
  }
  if (values.length % SUM_EVERY === 0) sums[values.length / SUM_EVERY] = total
  return sums
}

/** The sum of the first `end` values. @param sums - their {@link runningSums}. */
function sumUpTo(values: Uint8Array | Uint32Array, sums: ArrayLike<number>, end: number): number {
  const from = Math.floor(end / SUM_EVERY)
  let sum = sums[from]!
  for (let i = from * SUM_EVERY; i < end; i++) sum += values[i]!
  return sum
}
