import { lowerBound } from '../../bytes/binary-search.ts'
import type { TimeWindow } from '../../dates/resolve-times.ts'
import { contribution, impactStep, maxContribution } from '../../kernels/contribution.ts'
import type { WindowScorer } from '../../kernels/score-windows.ts'
import type { TopHits } from '../../kernels/top-hits.ts'
import { MAX_REQUIRED_LISTS, type PublishedDays, type Scoring, type WindowScores } from '../../kernels/window-scores.ts'
import { publishDay } from '../../segment/columns/publish-days.ts'
import type { PositionList } from '../../segment/positions/positions-codec.ts'
import type { PostingList } from '../../segment/postings/posting-list.ts'
import { WINDOW } from '../../segment/postings/window-impacts.ts'
import { impactScale, saturationSlope } from '../../segment/ranking-model.ts'
import type { Segment } from '../../segment/segment.ts'
import type { Filter } from '../filter/filter.ts'
import type { PostingCursor, PostingCursors } from '../postings/posting-cursor.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { SegmentView } from '../postings/segment-view.ts'
import type { FavoredPhrases } from './favored-phrases.ts'
import type { SearchScratch } from './search-scratch.ts'

/** A posting list of the query in one segment, with the weight of its term. */
interface QueryList extends Scoring {
  list: PostingList
  /** Quantized block-max impact of each window. */
  impacts: Uint8Array
  cursor: PostingCursor
  /** Average number of postings in a window. */
  density: number
  /** Upper bound of the contribution of the term in the current window. */
  most: number
}

/** What a segment is scored with. */
export interface SegmentScorerOptions {
  view: SegmentView
  /** For each scoring term its list in the segment, and its weight in fixed-point units. */
  terms: readonly { list: PostingList; weight: number }[]
  averageLength: number
  filter: Filter
  cursors: PostingCursors
  favored: FavoredPhrases
  top: TopHits
  scratch: SearchScratch
}

/**
 * With fewer postings than this in a window it is cheaper to remember which captures got a score than to test all of them.
 */
const SPARSE = WINDOW / 8
/** Cost of looking up one capture in one list, in postings that could be iterated in the same time. */
const LOOKUP_COST = 60

/**
 * Scores the captures of one segment, one window of {@link WINDOW} ordinals at a time, by block-max MaxScore (Turtle and
 * Flood, IPM 1995; Ding and Suel, SIGIR 2011). Terms whose upper bounds together do not reach the needed score are optional:
 * they are looked up only for captures that the other terms brought close enough to it.
 */
export class SegmentScorer implements WindowScorer {
  readonly #segment: Segment
  readonly #from: number
  readonly #to: number
  /** Lists that contain every match, the shortest first; some of them score. */
  readonly #required: QueryList[]
  /** Words of required phrases that next-word signatures can test; `at` is the index of the list in `#required`. */
  readonly #adjacent: { at: number; positions: PositionList; hash: number }[]
  /** The other lists that score. Within a window they are sorted by the upper bound of their contribution, lowest first. */
  readonly #free: QueryList[]
  /** True if it is cheaper to iterate only the shortest required list and to look up its captures in the others. */
  readonly #isDriven: boolean
  readonly #slope: number
  readonly #filter: Filter
  readonly #publishedDays: PublishedDays | undefined
  readonly #top: TopHits
  readonly #favored: FavoredPhrases
  readonly #window: WindowScores
  /** The decoded block of the driving list. */
  readonly #driverBlock: Uint32Array
  /** Upper bound of the boost by phrases in the current window. */
  #maxBoost = 0
  /**
   * Number of free lists, from the first on, that are looked up instead of iterated, and the upper bound of what they and
   * the phrases add together.
   */
  #optional = 0
  #optionalMost = 0

  constructor({ view, terms, averageLength, filter, cursors, favored, top, scratch }: SegmentScorerOptions) {
    const { segment, from, to } = view
    const scale = impactScale(averageLength, segment.averageLength)
    const open = (list: PostingList, weight: number): QueryList => ({
      list,
      weight,
      step: impactStep(weight, scale),
      impacts: list.windowMaxImpacts(),
      cursor: cursors.of(list),
      density: (list.count * WINDOW) / segment.captures,
      most: 0,
    })
    const weights = new Map(terms.map(({ list, weight }) => [list, weight]))
    this.#segment = segment
    this.#from = from
    this.#to = to
    this.#required = filter.required.map(({ list }) => open(list, weights.get(list) ?? 0))
    const requiredLists = new Set(filter.required.map(({ list }) => list))
    this.#free = terms.filter(({ list }) => !requiredLists.has(list)).map(({ list, weight }) => open(list, weight))
    this.#isDriven = isDriven(this.#required, this.#free)
    this.#adjacent = this.#isDriven ? [] : this.#adjacentIn(filter)
    this.#slope = saturationSlope(averageLength)
    this.#filter = filter
    this.#publishedDays = filter.published && daysOf(filter, filter.published)
    this.#favored = favored
    this.#top = top
    this.#window = scratch.window
    this.#driverBlock = scratch.blocks.take()
  }

  #adjacentIn(filter: Filter): { at: number; positions: PositionList; hash: number }[] {
    return filter.adjacentWords().map(({ list, positions, hash }) => {
      return { at: this.#required.findIndex(query => query.list === list), positions, hash }
    })
  }

  get windows(): number {
    return this.#from < this.#to ? this.#lastWindow - Math.floor(this.#from / WINDOW) + 1 : 0
  }

  get #lastWindow(): number {
    return Math.floor((this.#to - 1) / WINDOW)
  }

  addBounds(bounds: Float64Array): void {
    const last = this.#lastWindow
    for (const { impacts, weight, step } of [...this.#required, ...this.#free])
      for (let n = Math.max(0, last - impacts.length + 1); n < bounds.length; n++)
        bounds[n]! += maxContribution(impacts[last - n]!, weight, step)
    if (!this.#favored.isEmpty) for (let n = 0; n < bounds.length; n++) bounds[n]! += this.#favored.maxBoost(last - n)
    for (const { impacts } of this.#required)
      for (let n = 0; n < bounds.length; n++) if (!(impacts[last - n]! > 0)) bounds[n] = 0
  }

  scoreWindow(number: number): void {
    const window = this.#lastWindow - number
    const start = Math.max(this.#from, window * WINDOW)
    const end = Math.min(this.#to, (window + 1) * WINDOW)
    const needed = this.#top.scoreNeeded(this.#segment, end)
    const most = this.#boundLists(window)
    if (most < needed) return
    if (this.#isDriven) this.#scoreDriven(start, end, needed, most)
    else this.#scoreLists(window * WINDOW, start, end, needed, most)
  }

  /** Sets the upper bound of each term in the window and sorts the free lists by it. Returns the sum of the bounds. */
  #boundLists(window: number): number {
    const free = this.#free
    this.#maxBoost = this.#favored.isEmpty ? 0 : this.#favored.maxBoost(window)
    let sum = this.#maxBoost
    for (const required of this.#required) sum += bound(required, window)
    for (let i = 0; i < free.length; i++) {
      const list = free[i]!
      sum += bound(list, window)
      let at = i
      for (; at > 0 && free[at - 1]!.most > list.most; at--) free[at] = free[at - 1]!
      free[at] = list
    }
    return sum
  }

  /** Iterates the shortest required list, newest capture first, and looks up its captures in the other lists. */
  #scoreDriven(start: number, end: number, neededAtFirst: number, most: number): void {
    const driver = this.#required[0]!
    const { list } = driver
    const ordinals = this.#driverBlock
    let needed = neededAtFirst
    let requiredMost = 0
    for (const required of this.#required) requiredMost += required.most
    this.#optional = this.#free.length
    this.#optionalMost = most - requiredMost
    const first = list.blockOf(start)
    for (let block = Math.min(list.blockOf(end - 1), list.blocks - 1); block >= first; block--) {
      if (most - driver.most + maxContribution(list.blockMaxImpact(block), driver.weight, driver.step) < needed)
        continue
      checkSearchTime()
      const size = list.ordinals(block, ordinals)
      for (let i = lowerBound(ordinals, size, end) - 1; i >= 0 && ordinals[i]! >= start; i--) {
        const score = this.#requiredScore(ordinals[i]!)
        if (score >= 0 && this.#offer(ordinals[i]!, score, needed))
          needed = this.#top.scoreNeeded(this.#segment, ordinals[i]!)
      }
    }
  }

  /** The contribution of the required lists to the score of a capture; −1 if one of them does not contain it. */
  #requiredScore(ordinal: number): number {
    if (!this.#filter.isInRequired(ordinal)) return -1
    let score = 0
    for (const { cursor, weight } of this.#required)
      if (weight > 0)
        score += contribution(weight, cursor.frequency(), this.#slope, this.#segment.columns.lengths[ordinal]!)
    return score
  }

  /** Intersects the required lists and iterates the free lists that are needed to reach the score needed. */
  #scoreLists(base: number, start: number, end: number, neededAtFirst: number, most: number): void {
    let needed = neededAtFirst
    const window = this.#window
    window.begin(base, start, end, this.#slope, this.#segment.columns.lengths)
    const areTouched = this.#addLists(needed, most)
    // With required lists a capture is a candidate even if no iterated list scores it.
    const least = Math.max(this.#required.length > 0 ? 0 : 1, Math.ceil(needed - this.#optionalMost))
    if (!areTouched) window.touchScores(least)
    // `scoreNeeded` may only be asked with the ordinal of a capture if captures come newest first. Phrases profit from this
    // order too, because the positions of neighboring captures are stored together.
    const descends = !areTouched || this.#required.length > 0
    for (let i = window.count - 1; i >= 0; i--) {
      const at = window.touched[i]!
      if (window.scores[at]! < least) continue
      for (let r = 0; r < this.#required.length; r++) this.#required[r]!.cursor.moveTo(base + at, window.indexOf(at, r))
      if (this.#offer(base + at, window.scores[at]!, needed))
        needed = this.#top.scoreNeeded(this.#segment, descends ? base + at : end)
    }
    window.clear()
  }

  /** Adds up the scores of the window. Returns true if the list of touched captures contains all candidates. */
  #addLists(needed: number, most: number): boolean {
    const window = this.#window
    const required = this.#required
    const free = this.#free
    required.forEach((query, i) => {
      window.require(query.list, query, needed - most + query.most, i)
    })
    for (const { at, positions, hash } of this.#adjacent) window.keepFollowed(required[at]!.list, positions, hash, at)
    required.forEach(({ list, weight }, i) => {
      if (weight > 0) window.addRequired(list, weight, i)
    })
    let optional = 0
    let optionalMost = this.#maxBoost
    // Lists that can add little, and all lists if few candidates are left, are looked up instead of iterated.
    while (
      optional < free.length &&
      (optionalMost + free[optional]!.most < needed ||
        (required.length > 0 && window.count * LOOKUP_COST < free[optional]!.density))
    )
      optionalMost += free[optional++]!.most
    this.#optional = optional
    this.#optionalMost = optionalMost
    let postings = 0
    for (let i = optional; i < free.length; i++) postings += free[i]!.density
    const published = this.#publishedDays
    const isSparse = required.length > 0 ? !window.touchesMany : published !== undefined || postings < SPARSE
    for (let i = optional; i < free.length; i++) {
      const { list } = free[i]!
      const least = needed - most + free[i]!.most
      if (!isSparse) window.addAll(list, free[i]!, least)
      else if (required.length > 0) window.addMarked(list, free[i]!, least)
      else if (published) window.addPublished(list, free[i]!, least, published)
      else window.addSome(list, free[i]!, least)
    }
    return required.length > 0 || isSparse
  }

  /**
   * Completes the score of a capture with the optional terms, highest upper bound first, and enters the capture into the top
   * hits if it is competitive and matches. Returns true if it was entered.
   */
  #offer(ordinal: number, begun: number, needed: number): boolean {
    let score = begun
    let most = this.#optionalMost
    for (let i = this.#optional - 1; i >= 0; i--) {
      if (score + most < needed) return false
      const { cursor, weight, step, most: termMost } = this.#free[i]!
      most -= termMost
      if (termMost === 0 || !cursor.advanceShallow(ordinal)) continue
      if (score + most + maxContribution(cursor.blockMaxImpact, weight, step) < needed) return false
      if (cursor.advance(ordinal) >= 0)
        score += contribution(weight, cursor.frequency(), this.#slope, this.#segment.columns.lengths[ordinal]!)
    }
    if (score + this.#maxBoost < needed || score === 0 || !this.#filter.matches(ordinal)) return false
    if (this.#maxBoost > 0) score += this.#favored.boostOf(ordinal)
    if (!this.#top.isCompetitive(this.#segment, ordinal, score)) return false
    this.#top.push({ segment: this.#segment, ordinal, score })
    return true
  }
}

/** The days that a window of time overlaps. They are a superset: {@link Filter.matches} tests the exact times. */
function daysOf(filter: Filter, { from, to }: TimeWindow): PublishedDays {
  return { days: filter.publishDays(), from: publishDay(from), to: publishDay(to) }
}

/** Sets and returns the upper bound of the contribution of a list in a window. */
function bound(list: QueryList, window: number): number {
  list.most = window < list.impacts.length ? maxContribution(list.impacts[window]!, list.weight, list.step) : 0
  return list.most
}

/** Compares the cost of looking up the captures of the shortest required list with that of iterating all lists. */
function isDriven(required: readonly QueryList[], free: readonly QueryList[]): boolean {
  if (required.length === 0) return false
  if (required.length > MAX_REQUIRED_LISTS) return true
  let postings = 0
  for (const { density } of required) postings += density
  for (const { density } of free) postings += density
  return required[0]!.density * (required.length + free.length) * LOOKUP_COST < postings
}
