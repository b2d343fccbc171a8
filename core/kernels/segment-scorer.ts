import { lowerBound } from '../bytes/binary-search.ts'
import { BLOCK } from '../bytes/bit-packing.ts'
import type { PostingCursor } from '../postings/posting-cursor.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import { isValid } from '../postings/segment-view.ts'
import type { PostingList } from '../segment/postings/posting-list.ts'
import { WINDOW } from '../segment/postings/window-impacts.ts'
import { impactScale, saturationSlope } from '../segment/ranking-model.ts'
import { contribution, impactStep, maxContribution } from './contribution.ts'
import type { TopHits } from './top-hits.ts'
import type { TopKView } from './topk-query.ts'
import { clipToRange, newWindowBits } from './window-bits.ts'
import { MAX_REQUIRED_LISTS, type Scoring, type WindowScores } from './window-scores.ts'

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

/** Cost of looking up one capture in one list, in postings that could be iterated in the same time. */
const LOOKUP_COST = 60
/** A condition is evaluated on whole windows if it leaves less than one in this many of the captures that have a score. */
const WORTH_FILLING = 2
/** Number of captures whose condition is tested between two checks of the search time. */
const BETWEEN_CHECKS = 64

/** The decoded block of a driving list, and the captures of a window that may fulfill a condition. */
const driverBlock = new Uint32Array(BLOCK)
const bits = newWindowBits()

/**
 * Scores the captures of one segment, one window of {@link WINDOW} ordinals at a time, by block-max MaxScore (Turtle and
 * Flood, IPM 1995; Ding and Suel, SIGIR 2011). Terms whose upper bounds together do not reach the needed score are optional:
 * they are looked up only for captures that the other terms brought close enough to it.
 */
export class SegmentScorer {
  readonly #view: TopKView
  /** Lists that contain every match, the shortest first; some of them score. */
  readonly #required: QueryList[]
  /** Words of required phrases that next-word signatures can test; `at` is the index of the list in `#required`. */
  readonly #adjacent: { at: number; signatures: Uint8Array; hash: number }[]
  /** The other lists that score. Within a window they are sorted by the upper bound of their contribution, lowest first. */
  readonly #free: QueryList[]
  /** True if it is cheaper to iterate only the shortest required list and to look up its captures in the others. */
  readonly #isDriven: boolean
  /** True if the condition is evaluated on each window before its captures are scored. */
  readonly #fills: boolean
  /** True if the candidates of a window are known before its captures are scored. */
  readonly #isRestricted: boolean
  /** True if the condition is tested on each capture whose score competes. */
  readonly #tests: boolean
  readonly #minScore: number
  readonly #slope: number
  readonly #top: TopHits
  readonly #window: WindowScores
  /** Upper bound of the boost in the current window. */
  #maxBoost = 0
  /** The first so many of the lists that a match need not be in are only looked up, not iterated. */
  #optional = 0
  /** Upper bound of what these lists and the boost together add to a score. */
  #optionalMost = 0
  /** Number of captures whose condition was tested. */
  #tested = 0

  constructor(view: TopKView, averageLength: number, { top, window }: { top: TopHits; window: WindowScores }) {
    const { segment, lists, cursors, condition, onlyScored } = view
    const scale = impactScale(averageLength, segment.averageLength)
    const opened = lists.map(({ list, weight, required }): QueryList & { required: boolean } => ({
      list,
      weight,
      required,
      step: impactStep(weight, scale),
      impacts: list.windowMaxImpacts(),
      cursor: cursors.of(list),
      density: (list.count * WINDOW) / segment.captures,
      most: 0,
    }))
    this.#view = view
    this.#required = opened.filter(({ required }) => required).sort((a, b) => a.list.count - b.list.count)
    this.#free = opened.filter(({ required }) => !required)
    this.#isDriven = isDriven(this.#required, this.#free)
    const isRequired = this.#required.length > 0
    this.#fills =
      condition !== undefined &&
      !this.#isDriven &&
      ((!onlyScored && !isRequired) ||
        condition.size * WORTH_FILLING <
          (this.#required[0]?.list.count ?? this.#free.reduce((sum, { list }) => sum + list.count, 0)))
    this.#isRestricted = this.#fills || isRequired
    this.#tests = condition !== undefined && !(this.#fills && condition.isExact)
    this.#minScore = onlyScored ? 1 : 0
    this.#adjacent = isRequired && !this.#isDriven ? this.#adjacentWords() : []
    this.#slope = saturationSlope(averageLength)
    this.#top = top
    this.#window = window
  }

  #adjacentWords(): { at: number; signatures: Uint8Array; hash: number }[] {
    return this.#view.adjacentWords().flatMap(({ list, signatures, hash }) => {
      const kept = signatures()
      return kept ? [{ at: this.#required.findIndex(query => query.list === list), signatures: kept, hash }] : []
    })
  }

  /** Number of windows with candidates. They are numbered from the newest. */
  get windows(): number {
    const { from, to } = this.#view
    return from < to ? this.#lastWindow - Math.floor(from / WINDOW) + 1 : 0
  }

  get #lastWindow(): number {
    return Math.floor((this.#view.to - 1) / WINDOW)
  }

  /** Adds to the bound of each window an upper bound of the scores in it. A window whose bound stays 0 contains no match. */
  addBounds(bounds: Float64Array): void {
    const last = this.#lastWindow
    const { boost, onlyScored } = this.#view
    for (const { impacts, weight, step } of [...this.#required, ...this.#free])
      for (let n = Math.max(0, last - impacts.length + 1); n < bounds.length; n++)
        bounds[n]! += maxContribution(impacts[last - n]!, weight, step)
    if (boost) for (let n = 0; n < bounds.length; n++) bounds[n]! += boost.most(last - n)
    // A match without a word that scores may be in any window.
    if (!onlyScored) for (let n = 0; n < bounds.length; n++) bounds[n]!++
    for (const { impacts } of this.#required)
      for (let n = 0; n < bounds.length; n++) if (!(impacts[last - n]! > 0)) bounds[n] = 0
  }

  /** Scores a window and enters its captures into the top hits; the result is the same as if every capture were scored. */
  scoreWindow(number: number): void {
    const window = this.#lastWindow - number
    const start = Math.max(this.#view.from, window * WINDOW)
    const end = Math.min(this.#view.to, (window + 1) * WINDOW)
    const needed = this.#needed(end)
    const most = this.#boundLists(window)
    if (most < needed) return
    if (this.#isDriven) this.#scoreDriven(start, end, needed, most)
    else this.#scoreLists(window * WINDOW, start, end, needed, most)
  }

  /** The lowest score with which a capture below ordinal `end` may still enter the top hits. */
  #needed(end: number): number {
    return Math.max(this.#minScore, this.#top.scoreNeeded(this.#view.segment, end))
  }

  /** Sets the upper bound of each term in the window and sorts the free lists by it. Returns the sum of the bounds. */
  #boundLists(window: number): number {
    const free = this.#free
    this.#maxBoost = this.#view.boost?.most(window) ?? 0
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
    const ordinals = driverBlock
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
        if (score >= 0 && this.#offer(ordinals[i]!, score, needed)) needed = this.#needed(ordinals[i]!)
      }
    }
  }

  /** The contribution of the required lists to the score of a capture; −1 if one of them does not contain it. */
  #requiredScore(ordinal: number): number {
    let score = 0
    for (const { cursor, weight } of this.#required) {
      if (cursor.advance(ordinal) < 0) return -1
      if (weight > 0) score += contribution(weight, cursor.frequency(), this.#slope, this.#lengthOf(ordinal))
    }
    return score
  }

  #lengthOf(ordinal: number): number {
    return this.#view.segment.columns.lengths[ordinal]!
  }

  /** Finds the candidates and iterates the free lists that are needed to reach the score needed. */
  #scoreLists(base: number, start: number, end: number, neededAtFirst: number, most: number): void {
    let needed = neededAtFirst
    const window = this.#window
    window.begin(base, start, end, this.#slope, this.#view.segment.columns.lengths)
    if (this.#isRestricted) this.#touchCandidates(base, start, end, needed - most)
    this.#addLists(needed, most)
    // Candidates that are known before may have no score from the lists that were iterated.
    const least = Math.max(this.#isRestricted ? 0 : 1, Math.ceil(needed - this.#optionalMost))
    if (!this.#isRestricted) window.touchScores(least)
    // The newest capture first, because it wins ties.
    for (let i = window.count - 1; i >= 0; i--) {
      const at = window.touched[i]!
      if (window.scores[at]! < least) continue
      for (let r = 0; r < this.#required.length; r++) this.#required[r]!.cursor.moveTo(base + at, window.indexOf(at, r))
      if (this.#offer(base + at, window.scores[at]!, needed)) needed = this.#needed(base + at)
    }
    window.clear()
  }

  /**
   * Touches the captures of a window that are in all required lists and may fulfill the condition, and adds the scores of the
   * required lists. @param spare - score needed, minus the upper bound of the scores in the window.
   */
  #touchCandidates(base: number, start: number, end: number, spare: number): void {
    const window = this.#window
    const required = this.#required
    required.forEach((query, i) => {
      window.require(query.list, query, spare + query.most, i)
    })
    if (this.#fills) {
      this.#view.condition?.fill(base, bits)
      clipToRange(bits, base, start, end)
      if (required.length > 0) window.keepBits(bits)
      else window.touchBits(bits)
    }
    for (const { at, signatures, hash } of this.#adjacent) window.keepFollowed(required[at]!.list, signatures, hash, at)
    required.forEach(({ list, weight }, i) => {
      if (weight > 0) window.addRequired(list, weight, i)
    })
  }

  /** Adds up the scores of the window. */
  #addLists(needed: number, most: number): void {
    const window = this.#window
    const free = this.#free
    const isRestricted = this.#isRestricted
    let optional = 0
    let optionalMost = this.#maxBoost
    // Lists that can add little, and all lists if few candidates are left, are looked up instead of iterated.
    while (
      optional < free.length &&
      (optionalMost + free[optional]!.most < needed ||
        (isRestricted && window.count * LOOKUP_COST < free[optional]!.density))
    )
      optionalMost += free[optional++]!.most
    this.#optional = optional
    this.#optionalMost = optionalMost
    for (let i = optional; i < free.length; i++) {
      const least = needed - most + free[i]!.most
      if (isRestricted && !window.touchesMany) window.addMarked(free[i]!.list, free[i]!, least)
      else window.addAll(free[i]!.list, free[i]!, least)
    }
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
        score += contribution(weight, cursor.frequency(), this.#slope, this.#lengthOf(ordinal))
    }
    if (score + this.#maxBoost < needed || score < this.#minScore) return false
    const { segment, published, condition, boost } = this.#view
    if (!isValid(this.#view, ordinal, published)) return false
    if (boost && this.#maxBoost > 0) score += boost.of(ordinal)
    if (!this.#top.isCompetitive(segment, ordinal, score)) return false
    if (this.#tests && ++this.#tested % BETWEEN_CHECKS === 0) checkSearchTime()
    if (this.#tests && condition?.matches(ordinal) === false) return false
    this.#top.push({ segment, ordinal, score })
    return true
  }
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
