import { BLOCK } from '../../bytes/bit-packing.ts'
import type { TimeWindow } from '../../dates/resolve-times.ts'
import { publishDay } from '../../segment/columns/publish-days.ts'
import type { PositionList } from '../../segment/positions/positions-codec.ts'
import { lowerBound, type PostingList, WINDOW } from '../../segment/postings/posting-list.ts'
import { boundScale, saturationSlope } from '../../segment/ranking-model.ts'
import type { Segment } from '../../segment/segment.ts'
import type { Conditions } from '../filter/filter.ts'
import type { ListProbe, ListProbes } from '../postings/posting-cursor.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { SegmentView } from '../postings/segment-view.ts'
import { boundStep, contribution, mostOf } from './contribution.ts'
import type { FavoredPhrases } from './favored-phrases.ts'
import type { WindowScorer } from './score-windows.ts'
import type { TopHits } from './top-hits.ts'
import { MOST_REQUIRED, type PublishedDays, type Scoring, windowScores } from './window-scores.ts'

/** A posting list of the query in one segment. */
interface QueryList extends Scoring {
  list: PostingList
  codes: Uint8Array
  probe: ListProbe
  /** Postings in a window, on average. */
  density: number
  /** Most the term may add in the window in hand. */
  most: number
}

const held = new Uint32Array(BLOCK)

/** With fewer postings than this in a window, remembering which scores were touched is cheaper than looking at all. */
const SPARSE = WINDOW / 8
/** What it costs to look one capture up in one list, in postings that could be gone through in the same time. */
const PROBE_COST = 60

/**
 * Scores the captures of one segment a window of {@link WINDOW} ordinals at a time, by block-max MaxScore (Turtle and
 * Flood, IPM 1995; Ding and Suel, SIGIR 2011): terms that alone can't reach the score needed are only looked up for
 * captures that the other terms brought near it.
 */
export class SegmentScorer implements WindowScorer {
  readonly #segment: Segment
  readonly #from: number
  readonly #to: number
  /** Lists that every match stands in, the shortest first; some of them score. */
  readonly #required: QueryList[]
  /** What phrases want of the required lists, by their index. */
  readonly #followed: { at: number; positions: PositionList; hash: number }[]
  /** The other lists that score, in a window by what they may add to a score, the least first. */
  readonly #free: QueryList[]
  /** Whether to go through the shortest required list and look its captures up in the others, rather than through all. */
  readonly #isDriven: boolean
  readonly #slope: number
  readonly #conditions: Conditions
  readonly #publishedDays: PublishedDays | undefined
  readonly #top: TopHits
  readonly #favored: FavoredPhrases
  /** The most that phrases may add in the window being scored. */
  #favoredMost = 0
  /** Number of free lists, from the first, that are looked up instead of iterated, and the most that they and the phrases add together. */
  #optional = 0
  #optionalMost = 0

  /** @param terms - per scoring term its list in the segment, and its weight in fixed-point units. */
  constructor(
    { segment, from, to }: SegmentView,
    terms: readonly { list: PostingList; weight: number }[],
    averageLength: number,
    conditions: Conditions,
    probes: ListProbes,
    favored: FavoredPhrases,
    top: TopHits,
  ) {
    const scale = boundScale(averageLength, segment.averageLength)
    const opened = (list: PostingList, weight: number): QueryList => ({
      list,
      weight,
      step: boundStep(weight, scale),
      codes: list.windowBounds(),
      probe: probes.of(list),
      density: (list.count * WINDOW) / segment.captures,
      most: 0,
    })
    const weights = new Map(terms.map(({ list, weight }) => [list, weight]))
    this.#segment = segment
    this.#from = from
    this.#to = to
    this.#required = conditions.required.map(({ list }) => opened(list, weights.get(list) ?? 0))
    const requiredLists = new Set(conditions.required.map(({ list }) => list))
    this.#free = terms.filter(({ list }) => !requiredLists.has(list)).map(({ list, weight }) => opened(list, weight))
    this.#isDriven = isDriven(this.#required, this.#free)
    this.#followed = this.#isDriven ? [] : this.#followedIn(conditions)
    this.#slope = saturationSlope(averageLength)
    this.#conditions = conditions
    this.#publishedDays = conditions.published && daysOf(conditions, conditions.published)
    this.#favored = favored
    this.#top = top
  }

  #followedIn(conditions: Conditions): { at: number; positions: PositionList; hash: number }[] {
    return conditions.followedWords().map(({ probe, positions, hash }) => {
      return { at: this.#required.findIndex(query => query.probe === probe), positions, hash }
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
    for (const { codes, weight, step } of [...this.#required, ...this.#free])
      for (let n = Math.max(0, last - codes.length + 1); n < bounds.length; n++)
        bounds[n] += mostOf(codes[last - n], weight, step)
    if (!this.#favored.isEmpty) for (let n = 0; n < bounds.length; n++) bounds[n] += this.#favored.mostIn(last - n)
    for (const { codes } of this.#required)
      for (let n = 0; n < bounds.length; n++) if (!(codes[last - n] > 0)) bounds[n] = 0
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

  /** Sets what each term may add in the window and sorts the free ones by it; returns the sum. */
  #boundLists(window: number): number {
    const free = this.#free
    this.#favoredMost = this.#favored.isEmpty ? 0 : this.#favored.mostIn(window)
    let sum = this.#favoredMost
    for (const required of this.#required) sum += bound(required, window)
    for (let i = 0; i < free.length; i++) {
      const list = free[i]
      sum += bound(list, window)
      let at = i
      for (; at > 0 && free[at - 1].most > list.most; at--) free[at] = free[at - 1]
      free[at] = list
    }
    return sum
  }

  /** Looks the captures of the shortest required list up in the others, newest first. */
  #scoreDriven(start: number, end: number, neededAtFirst: number, most: number): void {
    const [driver] = this.#required
    const { list } = driver
    let needed = neededAtFirst
    let requiredMost = 0
    for (const required of this.#required) requiredMost += required.most
    this.#optional = this.#free.length
    this.#optionalMost = most - requiredMost
    const first = list.blockOf(start)
    for (let block = Math.min(list.blockOf(end - 1), list.blocks - 1); block >= first; block--) {
      if (most - driver.most + mostOf(list.blockBound(block), driver.weight, driver.step) < needed) continue
      checkSearchTime()
      const size = list.ordinals(block, held)
      for (let i = lowerBound(held, size, end) - 1; i >= 0 && held[i] >= start; i--) {
        const score = this.#requiredScore(held[i])
        if (score >= 0 && this.#offer(held[i], score, needed)) needed = this.#top.scoreNeeded(this.#segment, held[i])
      }
    }
  }

  /** What the required lists add to a capture's score; −1 when it is not in all of them. */
  #requiredScore(ordinal: number): number {
    if (!this.#conditions.isInRequired(ordinal)) return -1
    let score = 0
    for (const { probe, weight } of this.#required)
      if (weight > 0)
        score += contribution(weight, probe.frequency(), this.#slope, this.#segment.columns.lengths[ordinal])
    return score
  }

  /** Goes through the required lists, and through those of the free ones that it takes to reach the score needed. */
  #scoreLists(base: number, start: number, end: number, neededAtFirst: number, most: number): void {
    let needed = neededAtFirst
    const window = windowScores
    window.begin(base, start, end, this.#slope, this.#segment.columns.lengths)
    const areTouched = this.#addLists(needed, most)
    // A capture of the required lists belongs to the candidates even if none of the lists gone through scores it.
    const least = Math.max(this.#required.length > 0 ? 0 : 1, Math.ceil(needed - this.#optionalMost))
    if (!areTouched) window.touchScores(least)
    // Only where they come newest first may what is needed depend on the capture. Phrases want them by ordinal too: the
    // positions of neighbours lie together.
    const descends = !areTouched || this.#required.length > 0
    for (let i = window.count - 1; i >= 0; i--) {
      const at = window.touched[i]
      if (window.scores[at] < least) continue
      for (let r = 0; r < this.#required.length; r++) this.#required[r].probe.know(base + at, window.placeOf(at, r))
      if (this.#offer(base + at, window.scores[at], needed))
        needed = this.#top.scoreNeeded(this.#segment, descends ? base + at : end)
    }
    window.clear()
  }

  /** Adds up the scores of the window; returns whether all that matter are touched. */
  #addLists(needed: number, most: number): boolean {
    const window = windowScores
    const required = this.#required
    const free = this.#free
    required.forEach((query, i) => {
      window.require(query.list, query, needed - most + query.most, i)
    })
    for (const { at, positions, hash } of this.#followed) window.keepFollowed(required[at].list, positions, hash, at)
    required.forEach(({ list, weight }, i) => {
      if (weight > 0) window.addRequired(list, weight, i)
    })
    let optional = 0
    let optionalMost = this.#favoredMost
    // With few candidates left, or little to be gained, a list is better looked up in.
    while (
      optional < free.length &&
      (optionalMost + free[optional].most < needed ||
        (required.length > 0 && window.count * PROBE_COST < free[optional].density))
    )
      optionalMost += free[optional++].most
    this.#optional = optional
    this.#optionalMost = optionalMost
    let postings = 0
    for (let i = optional; i < free.length; i++) postings += free[i].density
    const published = this.#publishedDays
    const isSparse = required.length > 0 ? !window.touchesMany : published !== undefined || postings < SPARSE
    for (let i = optional; i < free.length; i++) {
      const { list } = free[i]
      const least = needed - most + free[i].most
      if (!isSparse) window.addAll(list, free[i], least)
      else if (required.length > 0) window.addMarked(list, free[i], least)
      else if (published) window.addPublished(list, free[i], least, published)
      else window.addSome(list, free[i], least)
    }
    return required.length > 0 || isSparse
  }

  /**
   * Completes the score of a capture with the optional terms, greatest first, and enters it if it belongs. Returns
   * whether it did.
   */
  #offer(ordinal: number, begun: number, needed: number): boolean {
    let score = begun
    let most = this.#optionalMost
    for (let i = this.#optional - 1; i >= 0; i--) {
      if (score + most < needed) return false
      const { probe, weight, step, most: termMost } = this.#free[i]
      most -= termMost
      if (termMost === 0 || !probe.seek(ordinal)) continue
      if (score + most + mostOf(probe.bound, weight, step) < needed) return false
      if (probe.find(ordinal) >= 0)
        score += contribution(weight, probe.frequency(), this.#slope, this.#segment.columns.lengths[ordinal])
    }
    if (score + this.#favoredMost < needed || score === 0 || !this.#conditions.accepts(ordinal)) return false
    if (this.#favoredMost > 0) score += this.#favored.scoreOf(ordinal)
    if (!this.#top.accepts(this.#segment, ordinal, score)) return false
    this.#top.push({ segment: this.#segment, ordinal, score })
    return true
  }
}

/** The days of a window of time; what is published on them outside of it is refused at last, with all other conditions. */
function daysOf(conditions: Conditions, { from, to }: TimeWindow): PublishedDays {
  return { days: conditions.publishDays(), from: publishDay(from), to: publishDay(to) }
}

function bound(list: QueryList, window: number): number {
  list.most = window < list.codes.length ? mostOf(list.codes[window], list.weight, list.step) : 0
  return list.most
}

function isDriven(required: readonly QueryList[], free: readonly QueryList[]): boolean {
  if (required.length === 0) return false
  if (required.length > MOST_REQUIRED) return true
  let postings = 0
  for (const { density } of required) postings += density
  for (const { density } of free) postings += density
  return required[0].density * (required.length + free.length) * PROBE_COST < postings
}
