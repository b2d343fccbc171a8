import { BLOCK } from '../../segment/bit-packing.ts'
import type { PositionBuffer, PositionList } from '../../segment/positions-codec.ts'
import { lowerBound } from '../../segment/posting-list.ts'
import { rankingModel } from '../../segment/ranking-model.ts'
import type { Segment } from '../../segment/segment.ts'
import type { TermEntry } from '../../segment/term-dictionary.ts'
import { titleOccurrences } from '../phrase-matcher.ts'
import type { SegmentView } from '../segment-view.ts'
import { syntaxError } from './lexer.ts'
import { type TermPattern, testOf } from './term-pattern.ts'
import { popCount } from './window-bits.ts'

/** Different terms that a pattern may stand for, counting those of the instant alone. */
export const MAX_EXPANSIONS = 20_000

const ordinals = new Uint32Array(BLOCK)
const frequencies = new Uint32Array(BLOCK)
const places: PositionBuffer = { count: 0, values: new Uint32Array(64) }

/**
 * The captures of one segment that hold a term of a pattern, a bit each by ordinal. Which these are depends on each
 * capture alone; the terms of others, later ones among them, change nothing.
 */
export class Expansion {
  readonly bits: Uint32Array
  readonly #segment: Segment
  readonly #title: boolean

  /**
   * @param live - the terms met so far that captures hold as of the view's instant: a pattern is refused by their number.
   * @throws ASOF_INVALID_QUERY - the pattern stands for over {@link MAX_EXPANSIONS} terms.
   */
  constructor({ segment, cut }: SegmentView, pattern: TermPattern, live: Set<string>) {
    this.bits = new Uint32Array(Math.ceil(segment.captures / 32))
    this.#segment = segment
    this.#title = pattern.title
    const { begins, also } = pattern
    const isMeant = testOf(pattern)
    const add = (entry: TermEntry): void => {
      if (!this.#add(entry, cut)) return
      live.add(entry.term)
      if (live.size > MAX_EXPANSIONS)
        throw syntaxError(`${pattern.text} stands for over ${MAX_EXPANSIONS} words: write more letters`, pattern.at)
    }
    for (const entry of segment.dictionary.entries(begins)) {
      if (!entry.term.startsWith(begins)) break
      if (isMeant(entry.term)) add(entry)
    }
    if (also === undefined || also.startsWith(begins)) return
    const entry = segment.dictionary.find(also)
    if (entry) add(entry)
  }

  has(ordinal: number): boolean {
    return ((this.bits[ordinal >>> 5] >>> (ordinal & 31)) & 1) === 1
  }

  /** Captures below `cut`, purged ones left out. */
  countBelow(cut: number): number {
    let count = 0
    const words = cut >>> 5
    for (let i = 0; i < words; i++) count += popCount(this.bits[i])
    if (cut & 31) count += popCount(this.bits[words] & (0xffff_ffff >>> (32 - (cut & 31))))
    const { purged } = this.#segment
    for (let i = 0; i < purged.length && purged[i] < cut; i++) if (this.has(purged[i])) count--
    return count
  }

  /** Sets the bits of a term's captures; returns whether one below `cut` that was not purged holds it. */
  #add(entry: TermEntry, cut: number): boolean {
    const list = this.#segment.list(entry)
    const { purged } = this.#segment
    let positions: PositionList | undefined
    const isInTitle = (index: number, frequency: number): boolean => {
      if (frequency < rankingModel.titleWeight) return false
      positions ??= this.#segment.positions(entry)
      return titleOccurrences(frequency, positions.positions(index, places).count) > 0
    }
    let isLive = false
    for (let block = 0; block < list.blocks; block++) {
      const size = list.ordinals(block, ordinals)
      if (this.#title) list.frequenciesLessOne(block, frequencies)
      for (let i = 0; i < size; i++) {
        const ordinal = ordinals[i]
        if (!isLive && ordinal < cut) isLive = !isAmong(purged, ordinal)
        if (this.#title && !isInTitle(block * BLOCK + i, frequencies[i] + 1)) continue
        this.bits[ordinal >>> 5] |= 1 << (ordinal & 31)
      }
    }
    return isLive
  }
}

function isAmong(purged: Uint32Array, ordinal: number): boolean {
  return purged.length > 0 && purged[lowerBound(purged, purged.length, ordinal)] === ordinal
}
