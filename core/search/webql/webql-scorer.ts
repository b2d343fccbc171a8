import type { TimeWindow } from '../../dates/resolve-times.ts'
import { type PostingList, WINDOW } from '../../segment/postings/posting-list.ts'
import { boundScale, saturationSlope } from '../../segment/ranking-model.ts'
import type { ListProbe, ListProbes } from '../postings/posting-cursor.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { SegmentView } from '../postings/segment-view.ts'
import { boundStep, contribution, mostOf } from '../topk/contribution.ts'
import type { WindowScorer } from '../topk/score-windows.ts'
import type { TopHits } from '../topk/top-hits.ts'
import { windowScores } from '../topk/window-scores.ts'
import type { Clause } from './clause.ts'
import type { Expansion } from './expansion.ts'
import { clipped, distancesOf, type WindowBits, windowBits } from './window-bits.ts'

interface ScoringList {
  list: PostingList
  weight: number
  step: number
  codes: Uint8Array
  probe: ListProbe
  /** Postings in a window, on average. */
  density: number
}

/** A pattern that scores: what each of its captures gets. */
export interface ScoringPattern {
  expansion: Expansion
  score: number
}

export interface ScorerOptions {
  view: SegmentView
  clause: Clause
  /** Per scoring term its list in the segment, and its weight in fixed-point units. */
  terms: readonly { list: PostingList; weight: number }[]
  patterns: readonly ScoringPattern[]
  averageLength: number
  /** Epoch ms. */
  instant: number
  published: TimeWindow | undefined
  probes: ListProbes
  top: TopHits
}

/** What it costs to look one capture up in one list, in postings that could be gone through in the same time. */
const PROBE_COST = 60

/**
 * Scores the captures of one segment that a query in the full language matches, a window of {@link WINDOW} ordinals at a
 * time: the boolean part as sets of bits, then the scores of those that are left, then positions where they are asked for.
 */
export class WebqlScorer implements WindowScorer {
  readonly #options: ScorerOptions
  readonly #lists: readonly ScoringList[]
  readonly #patternMost: number
  readonly #slope: number
  readonly #bits: WindowBits = windowBits()
  readonly #scratch: WindowBits = windowBits()

  constructor(options: ScorerOptions) {
    const { view, terms, patterns, averageLength, probes } = options
    const scale = boundScale(averageLength, view.segment.averageLength)
    this.#options = options
    this.#slope = saturationSlope(averageLength)
    this.#lists = terms.map(({ list, weight }) => ({
      list,
      weight,
      step: boundStep(weight, scale),
      codes: list.windowBounds(),
      probe: probes.of(list),
      density: (list.count * WINDOW) / view.segment.captures,
    }))
    this.#patternMost = patterns.reduce((sum, { score }) => sum + score, 0)
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
    // A match without a word that scores is a match: no window has the bound 0.
    for (let n = 0; n < bounds.length; n++) bounds[n] += 1 + this.#most(last - n)
  }

  #most(window: number): number {
    let most = this.#patternMost
    for (const { codes, weight, step } of this.#lists)
      if (window < codes.length) most += mostOf(codes[window], weight, step)
    return most
  }

  scoreWindow(number: number): void {
    const { view, clause, patterns, instant, published, top } = this.#options
    const { segment } = view
    const window = this.#lastWindow - number
    const base = window * WINDOW
    const start = Math.max(view.from, base)
    const end = Math.min(view.to, base + WINDOW)
    const most = this.#most(window)
    let needed = this.#needed(end)
    if (most < needed) return
    if (this.#candidates(base, start, end) === 0) return
    const scores = windowScores
    scores.begin(base, start, end, this.#slope, segment.columns.lengths)
    scores.count = distancesOf(this.#bits, scores.touched)
    this.#addScores(base, needed - most)
    for (const { expansion, score } of patterns)
      for (let i = 0; i < scores.count; i++)
        if (expansion.has(base + scores.touched[i])) scores.scores[scores.touched[i]] += score
    const { supersededAt } = segment.columns
    // Newest first, as ties go; and neighbours have their positions together, which is worth more than the best first.
    for (let i = scores.count - 1; i >= 0; i--) {
      const at = scores.touched[i]
      const ordinal = base + at
      const score = scores.scores[at]
      if (score < needed || !(supersededAt[ordinal] > instant)) continue
      if (published && !isWithin(segment.publishedAt(ordinal, instant), published)) continue
      if (!top.accepts(segment, ordinal, score)) continue
      if (!clause.isExact && !clause.holds(ordinal)) continue
      top.push({ segment, ordinal, score })
      needed = this.#needed(ordinal)
    }
    scores.clear()
  }

  /** The lowest score with which a capture below ordinal `end` may still enter. A match may have none. */
  #needed(end: number): number {
    const { top, view } = this.#options
    return top.isFull ? top.scoreNeeded(view.segment, end) : 0
  }

  /** Matches without a publish date, up to `limit`. */
  countUndated(limit: number): number {
    const { view, clause, instant } = this.#options
    const { from, to, segment } = view
    if (from >= to || !segment.hasUndated) return 0
    const { supersededAt } = segment.columns
    let count = 0
    for (let base = Math.floor(from / WINDOW) * WINDOW; base < to; base += WINDOW) {
      checkSearchTime()
      if (this.#candidates(base, Math.max(from, base), Math.min(to, base + WINDOW)) === 0) continue
      const { touched } = windowScores
      const candidates = distancesOf(this.#bits, touched)
      for (let i = 0; i < candidates; i++) {
        const ordinal = base + touched[i]
        if (!Number.isNaN(segment.publishedAt(ordinal, instant)) || !(supersededAt[ordinal] > instant)) continue
        if (!clause.isExact && !clause.holds(ordinal)) continue
        if (++count === limit) return count
      }
    }
    return count
  }

  /** Finds the captures in `[start, end)` that may match; returns how many there are. */
  #candidates(base: number, start: number, end: number): number {
    this.#options.clause.fill(base, this.#bits)
    return clipped(this.#bits, base, start, end, this.#scratch)
  }

  /** @param spare - score needed, less the most that any capture of the window may have. */
  #addScores(base: number, spare: number): void {
    const scores = windowScores
    const { lengths } = this.#options.view.segment.columns
    const window = base / WINDOW
    for (const query of this.#lists) {
      const { list, weight, step, codes, probe, density } = query
      if (!(codes[window] > 0)) continue
      if (scores.count * PROBE_COST > density) {
        scores.addAll(list, query, spare + mostOf(codes[window], weight, step))
        continue
      }
      for (let i = 0; i < scores.count; i++) {
        const at = scores.touched[i]
        if (probe.find(base + at) < 0) continue
        scores.scores[at] += contribution(weight, probe.frequency(), this.#slope, lengths[base + at])
      }
    }
  }
}

function isWithin(at: number, { from, to }: TimeWindow): boolean {
  return at >= from && at <= to
}
