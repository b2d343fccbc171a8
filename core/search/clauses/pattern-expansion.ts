import { AsofError } from '@asof/extract/errors'
import { lowerBound } from '../../bytes/binary-search.ts'
import { BLOCK } from '../../bytes/bit-packing.ts'
import { revisedAt } from '../../postings/revised-at.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import { frequencyOfEntry, type SegmentView } from '../../postings/segment-view.ts'
import type { Revisions } from '../../segment/columns/revisions.ts'
import type { TermEntry } from '../../segment/dictionary/dictionary-format.ts'
import type { PositionBuffer, PositionList } from '../../segment/positions/positions-codec.ts'
import { rankingModel } from '../../segment/ranking-model.ts'
import type { Segment } from '../../segment/segment.ts'
import { compareTerms } from '../../text/terms/term-bytes.ts'
import { byteMatcherOf, type TermPattern } from '../conditions/term-pattern.ts'
import { syntaxError } from '../syntax-error.ts'
import { titleOccurrences } from './phrase-matcher.ts'
import { containsPattern, isRevisable } from './revised-terms.ts'

/** Maximum number of different terms that a pattern may match, as of the instant. */
export const MAX_EXPANSIONS = 4096

const ordinals = new Uint32Array(BLOCK)
const frequencies = new Uint32Array(BLOCK)
const positionsBuffer: PositionBuffer = { count: 0, values: new Uint32Array(64) }

/**
 * Expands a pattern in each view.
 *
 * @throws ASOF_INVALID_QUERY - it matches too many different terms over all segments, as of the instant.
 */
export function expandPattern(views: readonly SegmentView[], pattern: TermPattern): PatternExpansion[] {
  const expansions = views.map(view => new PatternExpansion(view, pattern))
  if (expansions.reduce((sum, { liveTerms }) => sum + liveTerms, 0) <= MAX_EXPANSIONS) return expansions
  const live = new Set<string>()
  for (const { segment, ordinalEnd } of views)
    for (const entry of termsOf(segment, pattern)) {
      checkSearchTime()
      if (live.has(entry.term) || !occursBelow(segment, entry, ordinalEnd)) continue
      live.add(entry.term)
      if (live.size > MAX_EXPANSIONS) throw new TooManyWords(pattern)
    }
  return expansions
}

/**
 * Returns for each term of a pattern the number of captures that contain it as of the instant. Leaves out terms that no capture contains.
 *
 * @throws ASOF_INVALID_QUERY - it matches too many different terms of captures that were acquired up to the instant. Superseded captures count
 *   here, because they do so for the limit of {@link expandPattern}, too.
 */
export function termFrequencies(views: readonly SegmentView[], pattern: TermPattern): Map<string, number> {
  const found = new Map<string, number>()
  for (const view of views)
    for (const entry of termsOf(view.segment, pattern)) {
      checkSearchTime()
      const captures = frequencyOfEntry(view, entry)
      if (captures === 0 && !occursBelow(view.segment, entry, view.ordinalEnd)) continue
      found.set(entry.term, (found.get(entry.term) ?? 0) + captures)
      if (found.size > MAX_EXPANSIONS) throw new TooManyWords(pattern)
    }
  for (const [term, captures] of found) if (captures === 0) found.delete(term)
  return found
}

/**
 * The captures of one segment that contain a term of a pattern, as a set of bits by ordinal. Whether a capture belongs to
 * the set depends only on the capture itself, so captures acquired later change nothing.
 */
export class PatternExpansion {
  readonly bits: Uint32Array
  /** Number of matching terms that occur in at least one capture as of the instant of the view. */
  liveTerms = 0
  /** Number of postings of the matching terms: at least the number of captures in the set, revised ones aside. */
  postings = 0
  readonly #segment: Segment
  readonly #instant: number
  readonly #title: boolean

  /**
   * @throws ASOF_INVALID_QUERY - the pattern matches more than {@link MAX_EXPANSIONS} terms.
   */
  constructor({ segment, ordinalEnd, instant }: SegmentView, pattern: TermPattern) {
    this.bits = new Uint32Array(Math.ceil(segment.captures / 32))
    this.#segment = segment
    this.#instant = instant
    this.#title = pattern.title
    for (const entry of termsOf(segment, pattern)) {
      checkSearchTime()
      this.postings += entry.count
      if (this.#add(entry, ordinalEnd)) this.liveTerms++
      if (this.liveTerms > MAX_EXPANSIONS) throw new TooManyWords(pattern)
    }
    if (segment.revisions && isRevisable(pattern.prefix)) this.#revise(segment.revisions, instant, pattern)
  }

  /** Corrects the bits of captures whose metadata was revised. */
  #revise(revisions: Revisions, instant: number, pattern: TermPattern): void {
    const { ordinals, rows } = revisedAt(revisions, instant)
    for (let i = 0; i < ordinals.length; i++) {
      const bit = 1 << (ordinals[i]! & 31)
      if (containsPattern(revisions.metadata(rows[i]!), pattern)) this.bits[ordinals[i]! >>> 5]! |= bit
      else this.bits[ordinals[i]! >>> 5]! &= ~bit
    }
  }

  /** Number of captures in the set that stood at the instant of the view. */
  standing(): number {
    return this.#segment.standingIn(this.bits, this.#instant)
  }

  /** Sets the bits of the captures with a term. Returns true if one of them is below `ordinalEnd`, without a tombstone. */
  #add(entry: TermEntry, ordinalEnd: number): boolean {
    const { tombstones } = this.#segment
    if (entry.inline && !this.#title) {
      for (const ordinal of entry.inline.ordinals) this.bits[ordinal >>> 5]! |= 1 << (ordinal & 31)
      return isLive(entry.inline.ordinals, ordinalEnd, tombstones)
    }
    const list = this.#segment.list(entry)
    let positions: PositionList | undefined
    const isInTitle = (index: number, frequency: number): boolean => {
      if (frequency < rankingModel.titleWeight) return false
      positions ??= this.#segment.positions(entry)
      return titleOccurrences(frequency, positions.positions(index, positionsBuffer).count) > 0
    }
    let live = false
    for (let block = 0; block < list.blocks; block++) {
      const size = list.ordinals(block, ordinals)
      if (this.#title) list.frequenciesLessOne(block, frequencies)
      for (let i = 0; i < size; i++) {
        const ordinal = ordinals[i]!
        if (!live && ordinal < ordinalEnd) live = !isAmong(tombstones, ordinal)
        if (this.#title && !isInTitle(block * BLOCK + i, frequencies[i]! + 1)) continue
        this.bits[ordinal >>> 5]! |= 1 << (ordinal & 31)
      }
    }
    return live
  }
}

/** The error about a pattern that matches too many words. */
export class TooManyWords extends AsofError {
  readonly pattern: TermPattern

  constructor(pattern: TermPattern) {
    const { text, at } = pattern
    const { code, message, details } = syntaxError(
      `${text} matches more than ${MAX_EXPANSIONS} words: write more letters of the word`,
      at,
    )
    super(code, message, { details })
    this.pattern = pattern
  }
}

/** True if at least one capture with a term is below `ordinalEnd` and has no tombstone. */
function occursBelow(segment: Segment, entry: TermEntry, ordinalEnd: number): boolean {
  const list = segment.list(entry)
  for (let block = 0; block < list.blocks; block++) {
    const size = list.ordinals(block, ordinals)
    if (isLive(ordinals.subarray(0, size), ordinalEnd, segment.tombstones)) return true
    if (ordinals[0]! >= ordinalEnd) break
  }
  return false
}

/** The terms of a segment that match a pattern. */
function* termsOf(segment: Segment, pattern: TermPattern): Generator<TermEntry> {
  const { prefix, also = [] } = pattern
  const test = byteMatcherOf(pattern)
  const from = Buffer.from(prefix)
  const cursor = segment.dictionary.cursorFrom(prefix, test.rulesOut)
  while (cursor.next()) {
    const { term, termBytes } = cursor
    if (!beginsWith(term, termBytes, from)) {
      if (compareTerms(term, 0, termBytes, from, 0, from.length) > 0) break
    } else if (test.matches(term, termBytes)) yield cursor.entry()
  }
  for (const term of also) {
    const entry = term.startsWith(prefix) ? undefined : segment.dictionary.find(term)
    if (entry) yield entry
  }
}

function beginsWith(term: Uint8Array, length: number, prefix: Uint8Array): boolean {
  if (length < prefix.length) return false
  for (let i = 0; i < prefix.length; i++) if (term[i] !== prefix[i]) return false
  return true
}

/** True if at least one of several captures is below `ordinalEnd` and has no tombstone. @param ascending - the ordinals of the captures. */
function isLive(ascending: Uint32Array, ordinalEnd: number, tombstones: Uint32Array): boolean {
  for (const ordinal of ascending) {
    if (ordinal >= ordinalEnd) return false
    if (!isAmong(tombstones, ordinal)) return true
  }
  return false
}

function isAmong(tombstones: Uint32Array, ordinal: number): boolean {
  return tombstones.length > 0 && tombstones[lowerBound(tombstones, tombstones.length, ordinal)] === ordinal
}
