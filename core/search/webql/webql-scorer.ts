import type { TimeWindow } from '../../dates/resolve-times.ts'
import { contribution, impactStep, maxContribution } from '../../kernels/contribution.ts'
import type { WindowScorer } from '../../kernels/score-windows.ts'
import type { TopHits } from '../../kernels/top-hits.ts'
import { clipToRange, newWindowBits, offsetsOf, type WindowBits } from '../../kernels/window-bits.ts'
import type { WindowScores } from '../../kernels/window-scores.ts'
import type { PostingList } from '../../segment/postings/posting-list.ts'
import { WINDOW } from '../../segment/postings/window-impacts.ts'
import { impactScale, saturationSlope } from '../../segment/ranking-model.ts'
import type { PostingCursor, PostingCursors } from '../postings/posting-cursor.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { SegmentView } from '../postings/segment-view.ts'
import type { Clause } from './clause.ts'
import type { PatternExpansion } from './pattern-expansion.ts'

interface ScoringList {
  list: PostingList
  weight: number
  step: number
  /** Quantized block-max impact of each window. */
  impacts: Uint8Array
  cursor: PostingCursor
  /** Average number of postings in a window. */
  density: number
}

/** A pattern that scores. */
export interface ScoringPattern {
  expansion: PatternExpansion
  /** Contribution to the score of each matching capture, in fixed-point units. */
  score: number
}

export interface ScorerOptions {
  view: SegmentView
  clause: Clause
  /** For each scoring term its list in the segment, and its weight in fixed-point units. */
  terms: readonly { list: PostingList; weight: number }[]
  patterns: readonly ScoringPattern[]
  averageLength: number
  /** Epoch ms. */
  instant: number
  published: TimeWindow | undefined
  cursors: PostingCursors
  top: TopHits
  scores: WindowScores
}

/** Cost of looking up one capture in one list, in postings that could be iterated in the same time. */
const LOOKUP_COST = 60

/**
 * Scores the captures of one segment that match a query in the full language, one window of {@link WINDOW} ordinals at a
 * time. It first evaluates the boolean condition on sets of bits, then computes the scores of the candidates, and finally
 * reads the positions of competitive candidates if the query contains phrases or NEAR.
 */
export class WebqlScorer implements WindowScorer {
  readonly #options: ScorerOptions
  readonly #lists: readonly ScoringList[]
  readonly #maxPatternScore: number
  readonly #slope: number
  readonly #bits: WindowBits = newWindowBits()
  readonly #scratch: WindowBits = newWindowBits()

  constructor(options: ScorerOptions) {
    const { view, terms, patterns, averageLength, cursors } = options
    const scale = impactScale(averageLength, view.segment.averageLength)
    this.#options = options
    this.#slope = saturationSlope(averageLength)
    this.#lists = terms.map(({ list, weight }) => ({
      list,
      weight,
      step: impactStep(weight, scale),
      impacts: list.windowMaxImpacts(),
      cursor: cursors.of(list),
      density: (list.count * WINDOW) / view.segment.captures,
    }))
    this.#maxPatternScore = patterns.reduce((sum, { score }) => sum + score, 0)
  }

  get windows(): number {
    const { from, to } = this.#options.view
    return from < to ? this.#lastWindow - Math.floor(from / WINDOW) + 1 : 0
  }

  get #lastWindow(): number {
    return Math.floor((this.#options.view.to - 1) / WINDOW)
  }

  addBounds(bounds: Float64Array): void {
    const last = this.#lastWindow
    // A match may have no word that scores, so no window has the bound 0.
    for (let n = 0; n < bounds.length; n++) bounds[n]! += 1 + this.#maxScore(last - n)
  }

  /** Upper bound of the scores in a window. */
  #maxScore(window: number): number {
    let most = this.#maxPatternScore
    for (const { impacts, weight, step } of this.#lists)
      if (window < impacts.length) most += maxContribution(impacts[window]!, weight, step)
    return most
  }

  scoreWindow(number: number): void {
    const { view, clause, patterns, instant, published, top, scores } = this.#options
    const { segment } = view
    const window = this.#lastWindow - number
    const base = window * WINDOW
    const start = Math.max(view.from, base)
    const end = Math.min(view.to, base + WINDOW)
    const most = this.#maxScore(window)
    let needed = this.#needed(end)
    if (most < needed) return
    if (this.#candidates(base, start, end) === 0) return
    scores.begin(base, start, end, this.#slope, segment.columns.lengths)
    scores.count = offsetsOf(this.#bits, scores.touched)
    this.#addScores(base, needed - most)
    for (const { expansion, score } of patterns)
      for (let i = 0; i < scores.count; i++)
        if (expansion.has(base + scores.touched[i]!)) scores.scores[scores.touched[i]!]! += score
    const { supersededAt } = segment.columns
    // Newest first, as ties are broken. Positions of neighboring captures are stored together, which saves more than scoring
    // the best first would.
    for (let i = scores.count - 1; i >= 0; i--) {
      const at = scores.touched[i]!
      const ordinal = base + at
      const score = scores.scores[at]!
      if (score < needed || !(supersededAt[ordinal]! > instant)) continue
      if (published && !isWithin(segment.publishedAt(ordinal, instant), published)) continue
      if (!top.isCompetitive(segment, ordinal, score)) continue
      if (!clause.isExact && !clause.matches(ordinal)) continue
      top.push({ segment, ordinal, score })
      needed = this.#needed(ordinal)
    }
    scores.clear()
  }

  /**
   * The lowest score with which a capture below ordinal `end` may still enter the top hits. It may be 0, because a match may
   * have the score 0.
   */
  #needed(end: number): number {
    const { top, view } = this.#options
    return top.isFull ? top.scoreNeeded(view.segment, end) : 0
  }

  /** Counts the captures that match except that they have no publish date, up to `limit`. */
  countUndated(limit: number): number {
    const { view, clause, instant } = this.#options
    const { from, to, segment } = view
    if (from >= to || !segment.hasUndated) return 0
    const { supersededAt } = segment.columns
    let count = 0
    for (let base = Math.floor(from / WINDOW) * WINDOW; base < to; base += WINDOW) {
      checkSearchTime()
      if (this.#candidates(base, Math.max(from, base), Math.min(to, base + WINDOW)) === 0) continue
      const { touched } = this.#options.scores
      const candidates = offsetsOf(this.#bits, touched)
      for (let i = 0; i < candidates; i++) {
        const ordinal = base + touched[i]!
        if (!Number.isNaN(segment.publishedAt(ordinal, instant)) || !(supersededAt[ordinal]! > instant)) continue
        if (!clause.isExact && !clause.matches(ordinal)) continue
        if (++count === limit) return count
      }
    }
    return count
  }

  /** Finds the captures in `[start, end)` that may match. Returns their number. */
  #candidates(base: number, start: number, end: number): number {
    this.#options.clause.fill(base, this.#bits)
    return clipToRange(this.#bits, base, start, end, this.#scratch)
  }

  /**
   * Adds the scores of the words to the candidates.
   *
   * @param spare - score needed, minus the upper bound of the scores in the window.
   */
  #addScores(base: number, spare: number): void {
    const { scores } = this.#options
    const { lengths } = this.#options.view.segment.columns
    const window = base / WINDOW
    for (const query of this.#lists) {
      const { list, weight, step, impacts, cursor, density } = query
      if (!(impacts[window]! > 0)) continue
      if (scores.count * LOOKUP_COST > density) {
        scores.addAll(list, query, spare + maxContribution(impacts[window]!, weight, step))
        continue
      }
      for (let i = 0; i < scores.count; i++) {
        const at = scores.touched[i]!
        if (cursor.advance(base + at) < 0) continue
        scores.scores[at]! += contribution(weight, cursor.frequency(), this.#slope, lengths[base + at]!)
      }
    }
  }
}

function isWithin(at: number, { from, to }: TimeWindow): boolean {
  return at >= from && at <= to
}
