import { lowerBound } from '../../bytes/binary-search.ts'
import { BLOCK } from '../../bytes/bit-packing.ts'
import type { Columns } from '../columns/columns.ts'
import { isTombstone } from '../columns/tombstone.ts'
import { STANDING_STORED_FROM, type TermEntry } from '../dictionary/dictionary-format.ts'
import type { PostingCache } from '../posting-cache.ts'
import type { PostingList } from '../postings/posting-list.ts'
import { EndLog } from './end-log.ts'
import { EndOrder } from './end-order.ts'
import type { StandingList } from './standing-list.ts'
import { type LogState, TermStanding } from './term-standing.ts'

/** A term of a segment, to be counted. */
export interface CountedTerm {
  list: PostingList
  entry: TermEntry
  /** Undefined if the list is not kept. */
  standing?: TermStanding
}

const scratch = new Uint32Array(BLOCK)

/** Looking up one entry of the log in a list takes as long as reading this many postings. If there are more entries, the whole list is read. */
const POSTINGS_PER_ENTRY = 12

/**
 * Counts the captures of one segment that stood at an instant: those acquired up to it that no other capture of the page, no removal and no
 * deletion had ended by then. What had ended when the segment was written is in standing lists; what has ended since is in a log.
 */
export class StandingCounts {
  readonly #columns: Columns
  readonly #cache: PostingCache
  readonly #read: (entry: TermEntry) => StandingList
  readonly #written: EndOrder | undefined
  readonly #log: EndLog
  /** The last instant that was asked for, and what had ended by then. A search asks for one instant, term after term. */
  readonly #asked = { instant: Number.NaN, logSize: -1, places: 0, entries: 0, isLatest: false }

  /**
   * @param columns - as they were written with the segment.
   * @param cache - keeps arrays of terms.
   * @param read - reads the standing list of a term.
   */
  constructor(columns: Columns, cache: PostingCache, read: (entry: TermEntry) => StandingList) {
    this.#columns = columns
    this.#cache = cache
    this.#read = read
    this.#written = EndOrder.of(columns.supersededAt, columns.lengths)
    this.#log = new EndLog(columns.lengths)
    for (const [ordinal, end] of columns.supersededAt.entries())
      if (isTombstone(end)) this.#log.add(ordinal, columns.acquiredAt[ordinal]!, -1)
  }

  /** Returns the column `supersededAt` as it was written with the segment, without its tombstones. */
  writtenEnds(): Float64Array {
    const ends = new Float64Array(this.#columns.acquiredAt.length).fill(Number.POSITIVE_INFINITY)
    for (const [i, ordinal] of this.#written?.ordinals.entries() ?? []) ends[ordinal] = this.#written!.at[i]!
    return ends
  }

  /** True if any capture has ended or was deleted, now or at some time since the segment was opened. */
  get hasEnded(): boolean {
    return this.#written !== undefined || this.#log.size > 0
  }

  /** Notes that the end of a capture has become another instant: ∞ if it stands again, −∞ or so if it was deleted. */
  change(ordinal: number, before: number, after: number): void {
    if (before === after || isTombstone(before)) return
    if (before < Number.POSITIVE_INFINITY) this.#log.add(ordinal, before, 1)
    if (isTombstone(after)) this.#log.add(ordinal, this.#columns.acquiredAt[ordinal]!, -1)
    else if (after < Number.POSITIVE_INFINITY) this.#log.add(ordinal, after, -1)
  }

  /**
   * Returns the number of captures that stood at an instant, and the sum of their lengths.
   *
   * @param ordinalEnd - the number of captures acquired up to the instant, deleted ones included. @param length - the sum of their lengths.
   */
  totals(instant: number, ordinalEnd: number, length: number): { captures: number; length: number } {
    if (!this.hasEnded) return { captures: ordinalEnd, length }
    const { places, entries } = this.#at(instant)
    const since = this.#log.sums(entries)
    const lengthEnded = this.#written?.lengthUpTo(places, this.#columns.lengths) ?? 0
    return { captures: ordinalEnd - places + since.captures, length: length - lengthEnded + since.length }
  }

  /** Returns the number of captures with a term that stood at an instant, if that is clear without its list; undefined if it must be opened. */
  frequencyUnopened({ count, ended }: TermEntry, instant: number): number | undefined {
    if (!this.hasEnded) return this.#isAllAcquired(instant) ? count : undefined
    const isClear = count >= STANDING_STORED_FROM && this.#log.size === 0 && this.#at(instant).isLatest
    return isClear ? count - ended : undefined
  }

  /** Returns the number of captures with a term that stood at an instant. @param ordinalEnd - the number of captures acquired up to it. */
  frequency(term: CountedTerm, instant: number, ordinalEnd: number): number {
    const { list, entry } = term
    const isAll = ordinalEnd === this.#columns.acquiredAt.length
    if (!this.hasEnded) return isAll ? list.count : list.countBelow(ordinalEnd, scratch)
    const { isLatest, places, entries } = this.#at(instant)
    if (isLatest) return this.#latest(term)
    // If the entries that the list holds are not kept, looking for them in the whole list is in vain.
    const isInVain = entries > 0 && !term.standing && this.#readsWholeList(list, 0)
    if (isInVain || list.count < STANDING_STORED_FROM) return this.#oneByOne(list, instant, ordinalEnd)
    let count = isAll ? list.count : list.countBelow(ordinalEnd, scratch)
    if (entry.ended > 0) count -= this.#standingList(term).endedBelow(count, places)
    return entries > 0 ? count + this.#loggedUpTo(entries, term) : count
  }

  #standingList({ entry, standing }: CountedTerm): StandingList {
    if (!standing) return this.#read(entry)
    standing.written ??= this.#read(entry)
    return standing.written
  }

  #oneByOne(list: PostingList, instant: number, ordinalEnd: number): number {
    const { supersededAt } = this.#columns
    let count = 0
    for (let block = 0; block < list.blocks; block++) {
      const size = list.ordinals(block, scratch)
      for (let i = 0; i < size && scratch[i]! < ordinalEnd; i++) if (supersededAt[scratch[i]!]! > instant) count++
    }
    return count
  }

  /** The number of captures with a term that stand after the last end. */
  #latest({ list, entry, standing = new TermStanding() }: CountedTerm): number {
    const { latestOf } = standing
    if (this.#isUpToDate(latestOf)) return standing.latest
    const isContinued = latestOf.size >= 0 && latestOf.order === this.#log.order
    const from = isContinued ? latestOf.size : 0
    if (list.count < STANDING_STORED_FROM || this.#readsWholeList(list, from))
      standing.latest = this.#oneByOne(list, Number.MAX_VALUE, this.#columns.acquiredAt.length)
    else {
      if (!isContinued) standing.latest = list.count - entry.ended
      for (const held of this.#heldBy(list, from)) standing.latest += this.#log.sign(held)
    }
    this.#bringUpToDate(latestOf)
    return standing.latest
  }

  /** How many captures with a term stand more by the first entries of the log. */
  #loggedUpTo(entries: number, { list, standing }: CountedTerm): number {
    const held = standing ? this.#held(list, standing) : this.#pairs(this.#heldBy(list, 0))
    let low = 0
    for (let high = (held.length - 1) / 2; low < high; ) {
      const middle = (low + high) >>> 1
      if (held[1 + 2 * middle]! < entries) low = middle + 1
      else high = middle
    }
    return held[2 * low]! | 0
  }

  /** Returns the array of {@link TermStanding.held}. Looks up only what is new in the log. */
  #held(list: PostingList, { held, heldOf }: TermStanding): Uint32Array {
    const before = heldOf.order === this.#log.order ? held.array : undefined
    const added = this.#heldBy(list, before ? heldOf.size : 0)
    this.#bringUpToDate(heldOf)
    const pairs = before && added.length === 0 ? before : this.#pairs(added, before)
    if (pairs !== before) this.#cache.delete(held)
    return this.#cache.array(held, { type: Uint32Array, length: pairs.length }, out => out.set(pairs))
  }

  /** Appends entries of the log to an array of {@link TermStanding.held}. */
  #pairs(entries: readonly number[], before: Uint32Array = Uint32Array.of(0)): Uint32Array {
    const pairs = new Uint32Array(before.length + 2 * entries.length)
    pairs.set(before)
    let sum = before[before.length - 1]!
    for (const [i, entry] of entries.entries()) {
      sum += this.#log.sign(entry)
      pairs[before.length + 2 * i] = entry
      pairs[before.length + 2 * i + 1] = sum
    }
    return pairs
  }

  /** The entries of the log from `from` on whose capture holds a term, ascending. */
  #heldBy(list: PostingList, from: number): number[] {
    const log = this.#log
    const held: number[] = []
    if (this.#readsWholeList(list, from)) {
      const holds = this.#bitsOf(list)
      for (let entry = from; entry < log.size; entry++) {
        const ordinal = log.ordinal(entry)
        if ((holds[ordinal >>> 5]! >>> (ordinal & 31)) & 1) held.push(entry)
      }
      return held
    }
    for (let entry = from; entry < log.size; entry++) {
      const ordinal = log.ordinal(entry)
      const block = list.blockOf(ordinal)
      if (block === list.blocks) continue
      const size = list.ordinals(block, scratch)
      const index = lowerBound(scratch, size, ordinal)
      if (index < size && scratch[index] === ordinal) held.push(entry)
    }
    return held
  }

  /** True if it takes less time to read a whole list than to look up the entries of the log from `from` on in it. */
  #readsWholeList(list: PostingList, from: number): boolean {
    return (this.#log.size - from) * POSTINGS_PER_ENTRY > list.count
  }

  #bitsOf(list: PostingList): Uint32Array {
    const bits = new Uint32Array(Math.ceil(this.#columns.acquiredAt.length / 32))
    for (let block = 0; block < list.blocks; block++) {
      const size = list.ordinals(block, scratch)
      for (let i = 0; i < size; i++) bits[scratch[i]! >>> 5]! |= 1 << (scratch[i]! & 31)
    }
    return bits
  }

  /** What had ended by an instant: the places of the ends that were written, the entries of the log, and if that is all that ever ended or began. */
  #at(instant: number): { places: number; entries: number; isLatest: boolean } {
    const asked = this.#asked
    const logSize = this.#log.size
    if (asked.instant === instant && asked.logSize === logSize) return asked
    asked.instant = instant
    asked.logSize = logSize
    asked.places = this.#written?.upTo(instant) ?? 0
    asked.entries = this.#log.upTo(instant)
    asked.isLatest =
      asked.places === (this.#written?.size ?? 0) && asked.entries === logSize && this.#isAllAcquired(instant)
    return asked
  }

  #isAllAcquired(instant: number): boolean {
    const { acquiredAt } = this.#columns
    return acquiredAt[acquiredAt.length - 1]! <= instant
  }

  #isUpToDate({ size, order }: LogState): boolean {
    return size === this.#log.size && order === this.#log.order
  }

  #bringUpToDate(state: LogState): void {
    state.size = this.#log.size
    state.order = this.#log.order
  }
}
