import { BLOCK } from '../segment/bit-packing.ts'
import { ANYTHING, followerBit } from '../segment/follower-signature.ts'
import type { PositionList } from '../segment/positions-codec.ts'
import { lowerBound, type PostingList, WINDOW } from '../segment/posting-list.ts'
import { SATURATION_BASE } from '../segment/ranking-model.ts'
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

/** Required lists that {@link WindowScores.require} can intersect. */
export const MOST_REQUIRED = 16

/**
 * The scores of a window of {@link WINDOW} ordinals, by distance from its first one, and which of them matter. A thread
 * has one, as searches run one at a time: its arrays are large and its loops the hottest of a search.
 */
class WindowScores {
  /** All 0 between windows. */
  readonly scores = new Int32Array(WINDOW)
  /** Distances whose captures may belong to the answer, in no order; `count` of them. */
  readonly touched = new Uint16Array(WINDOW)
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
    this.count = 0
  }

  /**
   * Adds a list's part to all scores, leaving out blocks whose bound is under `least`: their captures can't enter, so it
   * does no harm that their scores stay too low.
   */
  addAll(list: PostingList, { weight, step }: Scoring, least: number): void {
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
   * Marks what stands in a required list, and in those before it; touches what stands in the last.
   *
   * @param number - of the list among the required ones, from 0 and below {@link MOST_REQUIRED}.
   */
  require(list: PostingList, { weight, step }: Scoring, least: number, number: number, isLast: boolean): void {
    if (this.#stamp === 0xffff_ffff) {
      this.#stamp = 0
      this.#marks.fill(0)
    }
    const before = this.#stamp++
    const stamp = this.#stamp
    this.#places[number] ??= new Uint32Array(WINDOW)
    const places = this.#places[number]
    const { touched } = this
    const marks = this.#marks
    const ordinals = this.#ordinals
    const base = this.#base
    let count = 0
    for (let block = list.blockOf(this.#start); this.#overlaps(list, block); block++) {
      if (mostOf(list.blockBound(block), weight, step) < least) continue
      this.#decode(list, block)
      const place = block * BLOCK
      const to = this.#to
      if (number === 0) {
        for (let i = this.#from; i < to; i++) {
          const at = ordinals[i] - base
          touched[count++] = at
          places[at] = place + i
        }
        continue
      }
      // Without a branch, which would go either way: what is not marked is overwritten.
      for (let i = this.#from; i < to; i++) {
        const at = ordinals[i] - base
        places[at] = place + i
        touched[count] = at
        const difference = marks[at] ^ before
        count += ((difference | -difference) >>> 31) ^ 1
      }
    }
    for (let i = 0; i < count; i++) marks[touched[i]] = stamp
    this.count = isLast ? count : 0
  }

  /** Drops of what is touched what no term of this hash can stand behind, as the signatures of a required list tell. */
  keepFollowed(list: PostingList, positions: PositionList, hash: number, number: number): void {
    const places = this.#places[number]
    const { touched } = this
    const marks = this.#marks
    const bit = followerBit(hash)
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

  /** Makes all touched scores 0 again. */
  clearTouched(): void {
    for (let i = 0; i < this.count; i++) this.scores[this.touched[i]] = 0
  }

  /** Forgets what a search left that broke off. */
  reset(): void {
    this.scores.fill(0)
  }

  clearAll(): void {
    this.scores.fill(0, this.#start - this.#base, this.#end - this.#base)
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
