import { BLOCK } from '../segment/bit-packing.ts'
import { lowerBound, type PostingList, WINDOW } from '../segment/posting-list.ts'
import { boundScale, SATURATION_BASE, saturationSlope } from '../segment/ranking-model.ts'
import type { Segment } from '../segment/segment.ts'
import type { Conditions } from './conditions.ts'
import { ListProbe } from './list-probe.ts'
import type { SegmentView } from './segment-view.ts'
import { boundTable } from './term-weights.ts'
import type { TopHits } from './top-hits.ts'

/** A scoring term's list in one segment. */
interface ScoredList {
  list: PostingList
  weight: number
  bounds: Uint8Array
  table: Int32Array
  probe: ListProbe
  /** Most the term may add in the window in hand. */
  most: number
}

/** Scores of the window in hand, by distance from its first ordinal. Searches run one at a time on a thread. */
const scores = new Int32Array(WINDOW)
const ordinals = new Uint32Array(BLOCK)
const frequencies = new Uint32Array(BLOCK)

/** How much smaller than all scored lists together a required list must be to drive the search. */
const DRIVER_RATIO = 8

/**
 * Adds the best captures of one segment to `top`: exactly those that scoring every capture would.
 *
 * Windows of {@link WINDOW} ordinals are taken from the newest down, so that among equal scores those found later go
 * behind, and a window is left out as soon as its bounds say that nothing in it can enter. Within a window, block-max
 * MaxScore (Turtle and Flood, IPM 1995; Ding and Suel, SIGIR 2011): the terms that alone can't reach the score needed
 * are only looked up for captures that the other terms brought near it.
 *
 * @param lists - per scoring term its list in the segment, if any, and its weight in fixed-point units.
 */
export function scoreSegment(
  { segment, from, to }: SegmentView,
  lists: readonly { list: PostingList; weight: number }[],
  averageLength: number,
  conditions: Conditions,
  top: TopHits,
): void {
  if (from >= to || lists.length === 0 || conditions.impossible) return
  const scale = boundScale(averageLength, segment.averageLength)
  const scored = lists.map(({ list, weight }) => ({
    list,
    weight,
    bounds: list.windowBounds(),
    table: boundTable(weight, scale),
    probe: new ListProbe(list),
    most: 0,
  }))
  const search = new SegmentSearch(segment, scored, saturationSlope(averageLength), conditions, top)
  const driver = conditions.required.at(0)
  const postings = lists.reduce((total, { list }) => total + list.count, 0)
  const drives = driver && (conditions.hasPhrases || driver.list.count * DRIVER_RATIO < postings)
  for (let window = Math.floor((to - 1) / WINDOW); window >= Math.floor(from / WINDOW); window--) {
    const start = Math.max(from, window * WINDOW)
    const end = Math.min(to, (window + 1) * WINDOW)
    if (drives) search.driven(driver.list, window, start, end)
    else search.scoreWindow(window, start, end)
  }
}

class SegmentSearch {
  readonly #segment: Segment
  readonly #lists: ScoredList[]
  readonly #slope: number
  readonly #lengths: Uint32Array
  readonly #conditions: Conditions
  readonly #top: TopHits

  constructor(segment: Segment, lists: ScoredList[], slope: number, conditions: Conditions, top: TopHits) {
    this.#segment = segment
    this.#lists = lists
    this.#slope = slope
    this.#lengths = segment.columns.lengths
    this.#conditions = conditions
    this.#top = top
  }

  /** Scores the ordinals `[start, end)`, which lie in `window`. */
  scoreWindow(window: number, start: number, end: number): void {
    let needed = this.#top.scoreNeeded(this.#segment, end)
    if (this.#bound(window) < needed) return
    const lists = this.#lists
    lists.sort((a, b) => a.most - b.most)
    let optional = 0
    let optionalMost = 0
    while (optional < lists.length && optionalMost + lists[optional].most < needed)
      optionalMost += lists[optional++].most
    const base = window * WINDOW
    let essentialMost = 0
    for (let i = optional; i < lists.length; i++) essentialMost += lists[i].most
    for (let i = optional; i < lists.length; i++)
      this.#accumulate(lists[i], start, end, base, needed - optionalMost - essentialMost + lists[i].most)
    const least = Math.max(1, needed - optionalMost)
    for (let at = end - 1 - base; at >= start - base; at--) {
      if (scores[at] < least || scores[at] + optionalMost < needed) continue
      const entered = this.#offer(base + at, scores[at], optional, optionalMost, needed)
      if (entered) needed = this.#top.scoreNeeded(this.#segment, base + at)
    }
    scores.fill(0, start - base, end - base)
  }

  /** Scores the ordinals of `driver` within `[start, end)`: for conditions that few captures fulfil. */
  driven(driver: PostingList, window: number, start: number, end: number): void {
    let needed = this.#top.scoreNeeded(this.#segment, end)
    const most = this.#bound(window)
    if (most < needed) return
    this.#lists.sort((a, b) => a.most - b.most)
    const held = new Uint32Array(BLOCK)
    const first = driver.blockOf(start)
    for (let block = Math.min(driver.blockOf(end - 1), driver.blocks - 1); block >= first; block--) {
      const size = driver.ordinals(block, held)
      for (let i = lowerBound(held, size, end) - 1; i >= 0 && held[i] >= start; i--) {
        const entered = this.#offer(held[i], 0, this.#lists.length, most, needed)
        if (entered) needed = this.#top.scoreNeeded(this.#segment, held[i])
      }
    }
  }

  /** Sets what each term may add in the window; returns the sum. */
  #bound(window: number): number {
    let sum = 0
    for (const scored of this.#lists) {
      scored.most = window < scored.bounds.length ? scored.table[scored.bounds[window]] : 0
      sum += scored.most
    }
    return sum
  }

  /**
   * Adds a term's part to the scores of `[start, end)`, leaving out blocks whose bound is under `least`: their captures
   * can't enter, so it does no harm that their scores stay too low.
   */
  #accumulate({ list, weight, table }: ScoredList, start: number, end: number, base: number, least: number): void {
    const slope = this.#slope
    const lengths = this.#lengths
    for (let block = list.blockOf(start); block < list.blocks; block++) {
      if (block > 0 && list.last(block - 1) >= end - 1) return
      if (table[list.blockBound(block)] < least) continue
      const size = list.ordinals(block, ordinals)
      list.frequenciesLessOne(block, frequencies)
      const from = ordinals[0] >= start ? 0 : lowerBound(ordinals, size, start)
      const to = ordinals[size - 1] < end ? size : lowerBound(ordinals, size, end)
      addScores(from, to, base, weight, slope, lengths)
    }
  }

  /**
   * Completes the score of a capture with the `optional` first terms, greatest first, and enters it if it belongs.
   * Returns whether it did.
   */
  #offer(ordinal: number, score: number, optional: number, optionalMost: number, needed: number): boolean {
    let most = optionalMost
    for (let i = optional - 1; i >= 0; i--) {
      if (score + most < needed) return false
      const { probe, weight, most: termMost } = this.#lists[i]
      most -= termMost
      if (termMost > 0 && probe.find(ordinal) >= 0)
        score += contribution(weight, probe.frequency(), this.#slope, this.#lengths[ordinal])
    }
    if (score < needed || score === 0 || !this.#conditions.accepts(ordinal)) return false
    if (!this.#top.accepts(this.#segment, ordinal, score)) return false
    this.#top.push({ segment: this.#segment, ordinal, score })
    return true
  }
}

/** What one term adds to a score, in fixed-point units: at least 1, so that every match has a score. */
function contribution(weight: number, frequency: number, slope: number, length: number): number {
  return ((weight * frequency) / (frequency + SATURATION_BASE + slope * length) + 1) | 0
}

/** The same for the decoded block, added to `scores`. The hottest loop of a search: nothing is allocated or called. */
function addScores(from: number, to: number, base: number, weight: number, slope: number, lengths: Uint32Array): void {
  for (let i = from; i < to; i++) {
    const ordinal = ordinals[i]
    const frequency = frequencies[i] + 1
    scores[ordinal - base] += ((weight * frequency) / (frequency + SATURATION_BASE + slope * lengths[ordinal]) + 1) | 0
  }
}
