import { BLOCK } from '../../bytes/bit-packing.ts'
import { ANYTHING, nextWordBit } from '../../segment/positions/next-word-signature.ts'
import type { PositionList } from '../../segment/positions/positions-codec.ts'
import { lowerBound, type PostingList, WINDOW } from '../../segment/postings/posting-list.ts'
import { SATURATION_BASE } from '../../segment/ranking-model.ts'
import { contribution, mostOf } from './contribution.ts'

/** What a posting list adds to scores. */
export interface Scoring {
  /** In fixed-point units; 0 for a list that only must hold the captures. */
  weight: number
  /** What one step of a bound code is worth, see {@link mostOf}. */
  step: number
}

/** Publish days by ordinal, and the first and the last that matter. */
export interface PublishedDays {
  days: Uint16Array
  from: number
  to: number
}

/** Below so many postings of a block, their frequencies are better unpacked one by one. */
const FEW = 16

/** Below so many captures that may stand in a block, they are better sought than the block gone through. */
const FEW_SOUGHT = 12

/** Where more than one capture in so many is touched, all are scored in less time than those alone, whose places are looked up. */
const MANY = 4

/** Required lists that {@link WindowScores.require} can intersect. */
export const MOST_REQUIRED = 16

/**
 * The scores of a window of {@link WINDOW} ordinals, by distance from its first one, and which of them matter. A thread
 * has one, as searches run one at a time: its arrays are large and its loops the hottest of a search.
 */
class WindowScores {
  /** All 0 between windows. */
  readonly scores = new Int32Array(WINDOW)
  /** Distances whose captures may belong to the answer, in no order; `count` of them, and room behind the last. */
  readonly touched = new Uint16Array(WINDOW + 1)
  count = 0
  /** Distances in all required lists so far have the latest stamp here. */
  readonly #marks = new Uint32Array(WINDOW)
  /** Per required list, by distance, the index of what is marked. */
  readonly #places: Uint32Array[] = []
  #stamp = 0
  readonly #ordinals = new Uint32Array(BLOCK)
  readonly #frequencies = new Uint32Array(BLOCK)
  readonly #inside = new Uint8Array(BLOCK)
  #base = 0
  #start = 0
  #end = 0
  #slope = 0
  #lengths: Uint32Array = new Uint32Array(0)
  /** Whether captures may have a score that are not touched. */
  #scoresAll = false
  /** Of the decoded block, the part within the window. */
  #from = 0
  #to = 0

  /** Begins with the ordinals `[start, end)`, which lie in the window that begins at `base`. */
  begin(base: number, start: number, end: number, slope: number, lengths: Uint32Array): void {
    this.#base = base
    this.#start = start
    this.#end = end
    this.#slope = slope
    this.#lengths = lengths
    this.#scoresAll = false
    this.count = 0
  }

  /**
   * Adds a list's part to all scores, leaving out blocks whose bound is under `least`: their captures can't enter, so it
   * does no harm that their scores stay too low.
   */
  addAll(list: PostingList, { weight, step }: Scoring, least: number): void {
    this.#scoresAll = true
    const { scores } = this
    const base = this.#base
    const slope = this.#slope
    const lengths = this.#lengths
    const ordinals = this.#ordinals
    const frequencies = this.#frequencies
    for (let block = list.blockOf(this.#start); this.#overlaps(list, block); block++) {
      if (mostOf(list.blockBound(block), weight, step) < least) continue
      this.#decode(list, block)
      list.frequenciesLessOne(block, frequencies)
      const to = this.#to
      // The hottest loop of all: nothing is allocated or called.
      for (let i = this.#from; i < to; i++) {
        const ordinal = ordinals[i]
        const frequency = frequencies[i] + 1
        scores[ordinal - base] +=
          ((weight * frequency) / (frequency + SATURATION_BASE + slope * lengths[ordinal]) + 1) | 0
      }
    }
  }

  /** Like {@link addAll}, and touches the captures. */
  addSome(list: PostingList, { weight, step }: Scoring, least: number): void {
    const { scores, touched } = this
    const base = this.#base
    const slope = this.#slope
    const lengths = this.#lengths
    const ordinals = this.#ordinals
    const frequencies = this.#frequencies
    let { count } = this
    for (let block = list.blockOf(this.#start); this.#overlaps(list, block); block++) {
      if (mostOf(list.blockBound(block), weight, step) < least) continue
      this.#decode(list, block)
      list.frequenciesLessOne(block, frequencies)
      const to = this.#to
      for (let i = this.#from; i < to; i++) {
        const ordinal = ordinals[i]
        const at = ordinal - base
        if (scores[at] === 0) touched[count++] = at
        scores[at] += contribution(weight, frequencies[i] + 1, slope, lengths[ordinal])
      }
    }
    this.count = count
  }

  /** Like {@link addSome}, captures published on other days than `published` left out. */
  addPublished(list: PostingList, { weight, step }: Scoring, least: number, published: PublishedDays): void {
    const { scores, touched } = this
    const base = this.#base
    const slope = this.#slope
    const lengths = this.#lengths
    const ordinals = this.#ordinals
    const frequencies = this.#frequencies
    const inside = this.#inside
    const { days, from: firstDay } = published
    const span = published.to - firstDay
    let { count } = this
    for (let block = list.blockOf(this.#start); this.#overlaps(list, block); block++) {
      if (mostOf(list.blockBound(block), weight, step) < least) continue
      this.#decode(list, block)
      const to = this.#to
      let kept = 0
      // Without a branch, which for one in two or one in ten is mostly foretold wrong: the sign tells what lies outside.
      for (let i = this.#from; i < to; i++) {
        const after = days[ordinals[i]] - firstDay
        inside[kept] = i
        kept += 1 + ((after | (span - after)) >> 31)
      }
      const areFew = kept < FEW
      if (!areFew) list.frequenciesLessOne(block, frequencies)
      for (let k = 0; k < kept; k++) {
        const i = inside[k]
        const ordinal = ordinals[i]
        const frequency = areFew ? list.frequencyAt(block * BLOCK + i) : frequencies[i] + 1
        const at = ordinal - base
        if (scores[at] === 0) touched[count++] = at
        scores[at] += contribution(weight, frequency, slope, lengths[ordinal])
      }
    }
    this.count = count
  }

  /**
   * Touches what stands in a required list and, unless it is the first, was touched by those before it; marks that. To
   * ask for the shortest list first makes the others cheap (small versus small: Culpepper and Moffat, TOIS 2010).
   *
   * @param number - of the list among the required ones, from 0 and below {@link MOST_REQUIRED}.
   */
  require(list: PostingList, { weight, step }: Scoring, least: number, number: number): void {
    this.#places[number] ??= new Uint32Array(WINDOW)
    const places = this.#places[number]
    const { touched } = this
    const base = this.#base
    const before = this.count
    let count = 0
    let next = 0
    for (let block = list.blockOf(this.#start); this.#overlaps(list, block); block++) {
      const from = next
      if (number > 0) {
        if (next === before) break
        const last = list.last(block) - base
        while (next < before && touched[next] <= last) next++
        if (next === from) continue
      }
      if (mostOf(list.blockBound(block), weight, step) < least) continue
      this.#decode(list, block)
      if (number === 0) count = this.#touchBlock(block * BLOCK, places, count)
      else if (next - from < FEW_SOUGHT) count = this.#seekBlock(block * BLOCK, places, from, next, count)
      else count = this.#keepMarked(block * BLOCK, places, next, count)
    }
    this.count = count
    this.#mark()
  }

  /** Touches the whole of the decoded block. */
  #touchBlock(place: number, places: Uint32Array, kept: number): number {
    const { touched } = this
    const ordinals = this.#ordinals
    const base = this.#base
    const to = this.#to
    let count = kept
    for (let i = this.#from; i < to; i++) {
      const at = ordinals[i] - base
      touched[count++] = at
      places[at] = place + i
    }
    return count
  }

  /** Looks what is touched up in the decoded block, from one index to another; what is found goes to `kept` and behind. */
  #seekBlock(place: number, places: Uint32Array, from: number, to: number, kept: number): number {
    const { touched } = this
    const ordinals = this.#ordinals
    const base = this.#base
    const end = this.#to
    let low = this.#from
    let count = kept
    for (let t = from; t < to; t++) {
      const at = touched[t]
      const ordinal = base + at
      for (let high = end; low < high; ) {
        const middle = (low + high) >>> 1
        if (ordinals[middle] < ordinal) low = middle + 1
        else high = middle
      }
      if (low === end) break
      if (ordinals[low] !== ordinal) continue
      places[at] = place + low
      touched[count++] = at
    }
    return count
  }

  /** Like {@link #seekBlock}, by going through the block: for where much of it is touched, which is marked. */
  #keepMarked(place: number, places: Uint32Array, to: number, kept: number): number {
    const { touched } = this
    const marks = this.#marks
    const stamp = this.#stamp
    const ordinals = this.#ordinals
    const base = this.#base
    const end = this.#to
    const behind = touched[to]
    let count = kept
    // Without a branch, which would go either way: what is not marked is overwritten.
    for (let i = this.#from; i < end; i++) {
      const at = ordinals[i] - base
      places[at] = place + i
      touched[count] = at
      const difference = marks[at] ^ stamp
      count += ((difference | -difference) >>> 31) ^ 1
    }
    touched[to] = behind
    return count
  }

  /** Marks what is touched, and nothing else. */
  #mark(): void {
    if (this.#stamp === 0xffff_ffff) {
      this.#stamp = 0
      this.#marks.fill(0)
    }
    const stamp = ++this.#stamp
    for (let i = 0; i < this.count; i++) this.#marks[this.touched[i]] = stamp
  }

  /** Drops of what is touched what no term of this hash can stand behind, as the signatures of a required list tell. */
  keepFollowed(list: PostingList, positions: PositionList, hash: number, number: number): void {
    const places = this.#places[number]
    const { touched } = this
    const marks = this.#marks
    const bit = nextWordBit(hash)
    let count = 0
    for (let i = 0; i < this.count; i++) {
      const at = touched[i]
      const place = places[at]
      const signature = positions.signature(place)
      // As mayFollow has it, without a call.
      if (signature === ANYTHING || signature === hash || ((signature & bit) !== 0 && list.frequencyAt(place) > 1))
        touched[count++] = at
      else marks[at] = 0
    }
    this.count = count
  }

  /** The index in a required list of what is touched at a distance. */
  placeOf(at: number, number: number): number {
    return this.#places[number][at]
  }

  /** Adds the part of a required list to the scores of what is touched. */
  addRequired(list: PostingList, weight: number, number: number): void {
    const places = this.#places[number]
    for (let i = 0; i < this.count; i++) {
      const at = this.touched[i]
      const length = this.#lengths[this.#base + at]
      this.scores[at] += contribution(weight, list.frequencyAt(places[at]), this.#slope, length)
    }
  }

  /** Whether {@link addAll} is cheaper than {@link addMarked}. */
  get touchesMany(): boolean {
    return this.count * MANY > this.#end - this.#start
  }

  /** Adds a list's part to the scores of marked captures. */
  addMarked(list: PostingList, { weight, step }: Scoring, least: number): void {
    for (let block = list.blockOf(this.#start); this.#overlaps(list, block); block++) {
      if (mostOf(list.blockBound(block), weight, step) < least) continue
      this.#decode(list, block)
      for (let i = this.#from; i < this.#to; i++)
        if (this.#marks[this.#ordinals[i] - this.#base] === this.#stamp) this.#addOne(list, weight, block, i)
    }
  }

  /** Touches all captures with a score of at least `least`. */
  touchScores(least: number): void {
    const { scores, touched } = this
    const end = this.#end - this.#base
    let count = 0
    for (let at = this.#start - this.#base; at < end; at++) if (scores[at] >= least) touched[count++] = at
    this.count = count
  }

  /** Makes all scores 0 again. */
  clear(): void {
    if (this.#scoresAll) this.scores.fill(0, this.#start - this.#base, this.#end - this.#base)
    else for (let i = 0; i < this.count; i++) this.scores[this.touched[i]] = 0
  }

  /** Forgets what a search left that broke off. */
  reset(): void {
    this.scores.fill(0)
  }

  #overlaps(list: PostingList, block: number): boolean {
    return block < list.blocks && (block === 0 || list.last(block - 1) < this.#end - 1)
  }

  #decode(list: PostingList, block: number): void {
    const ordinals = this.#ordinals
    const size = list.ordinals(block, ordinals)
    this.#from = ordinals[0] >= this.#start ? 0 : lowerBound(ordinals, size, this.#start)
    this.#to = ordinals[size - 1] < this.#end ? size : lowerBound(ordinals, size, this.#end)
  }

  #addOne(list: PostingList, weight: number, block: number, i: number): void {
    const ordinal = this.#ordinals[i]
    const frequency = list.frequencyAt(block * BLOCK + i)
    this.scores[ordinal - this.#base] += contribution(weight, frequency, this.#slope, this.#lengths[ordinal])
  }
}

export const windowScores = new WindowScores()
