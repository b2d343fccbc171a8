import { contribution } from '../../kernels/contribution.ts'
import type { PostingCursor } from '../../postings/posting-cursor.ts'
import type { PositionBuffer, PositionList } from '../../segment/positions/positions-codec.ts'
import type { SegmentTerm } from '../../segment/posting-cache.ts'
import { rankingModel, saturationSlope } from '../../segment/ranking-model.ts'
import type { Segment } from '../../segment/segment.ts'
import { titleOccurrences } from '../clauses/phrase-matcher.ts'

const positionsBuffer: PositionBuffer = { count: 0, values: new Uint32Array(64) }

/** Reads the frequency of a term as if an occurrence in the title counted more, or less, than the index says. */
export class TitleFrequency {
  readonly #term: SegmentTerm
  readonly #segment: Segment
  readonly #titleWeight: number
  #positions: PositionList | undefined

  constructor(segment: Segment, term: SegmentTerm, titleWeight: number) {
    this.#segment = segment
    this.#term = term
    this.#titleWeight = titleWeight
  }

  /**
   * Returns the frequency in the capture that a cursor is at.
   *
   * @param cursor - the cursor of the list of the term.
   * @param index - the index of the capture in that list.
   */
  at(cursor: PostingCursor, index: number): number {
    const frequency = cursor.frequency()
    if (frequency < rankingModel.titleWeight) return frequency
    this.#positions ??= this.#segment.positions(this.#term.entry)
    const inTitle = titleOccurrences(frequency, this.#positions.positions(index, positionsBuffer).count)
    return frequency + (this.#titleWeight - rankingModel.titleWeight) * inTitle
  }
}

/** A term of a query in one segment. */
export interface WeighedTerm {
  term: SegmentTerm
  /** In fixed-point units. */
  weight: number
  cursor: PostingCursor
}

/** Changes the scores of the captures of a segment to those with another weight of the title. */
export class TitleBoost {
  readonly #terms: (WeighedTerm & { frequency: TitleFrequency; impacts: Uint8Array; most: number })[]
  readonly #lengths: Uint32Array
  readonly #slope: number

  constructor(segment: Segment, terms: readonly WeighedTerm[], averageLength: number, titleWeight: number) {
    const share = mostShare(titleWeight / rankingModel.titleWeight)
    this.#terms = terms.map(weighed => ({
      ...weighed,
      frequency: new TitleFrequency(segment, weighed.term, titleWeight),
      impacts: weighed.term.list.windowMaxImpacts(),
      // 2 is added because two contributions are rounded, and because a search computes boosts only where this bound is above 0.
      most: Math.ceil(weighed.weight * share) + 2,
    }))
    this.#lengths = segment.columns.lengths
    this.#slope = saturationSlope(averageLength)
  }

  most(window: number): number {
    let most = 0
    for (const { impacts, most: ofTerm } of this.#terms) if (impacts[window]! > 0) most += ofTerm
    return most
  }

  of(ordinal: number): number {
    const length = this.#lengths[ordinal]!
    let sum = 0
    for (const { cursor, weight, frequency } of this.#terms) {
      const index = cursor.advance(ordinal)
      if (index < 0) continue
      const before = cursor.frequency()
      const after = frequency.at(cursor, index)
      if (after !== before)
        sum += contribution(weight, after, this.#slope, length) - contribution(weight, before, this.#slope, length)
    }
    return sum
  }
}

/**
 * Upper bound of what another weight of the title adds to the saturated frequency of a term. A frequency f grows at most to rf, where
 * r is the ratio of the weights (`growth`), and rf / (rf + K) − f / (f + K) is highest for f = K / √r.
 */
export function mostShare(growth: number): number {
  const root = Math.sqrt(growth)
  return root > 1 ? (root - 1) / (root + 1) : 0
}
