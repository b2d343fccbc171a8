import { lowerBound } from '../bytes/binary-search.ts'
import { BLOCK } from '../bytes/bit-packing.ts'
import { ANYTHING, nextWordBit } from '../segment/positions/next-word-signature.ts'
import type { PostingList } from '../segment/postings/posting-list.ts'
import { WINDOW } from '../segment/postings/window-impacts.ts'
import { contribution, maxContribution } from './contribution.ts'
import { offsetsOf, type WindowBits } from './window-bits.ts'

/** The weight of a posting list. */
export interface Scoring {
  /** In fixed-point units; 0 for a list that is required but does not score. */
  weight: number
  /** Score of one step of a quantized impact: see {@link maxContribution}. */
  step: number
}

/** If fewer candidates than this fall into a block, they are found by binary search instead of by iterating the block. */
const FEW_CANDIDATES = 12

/** If more than one in this many captures is touched, scoring all captures is faster than testing which are touched. */
const TOUCHED_RATIO = 4

/** Maximum number of required lists that {@link WindowScores.require} can intersect. */
export const MAX_REQUIRED_LISTS = 16

/**
 * The scores of the captures in one window of {@link WINDOW} ordinals, and the list of captures that are candidates.
 * Everything is indexed by offset: the distance of an ordinal from the first one of the window. A capture is called touched
 * if it is in the list of candidates.
 *
 * The arrays are large, so an instance serves one search after the other.
 */
export class WindowScores {
  /** By offset; all 0 between windows. */
  readonly scores = new Int32Array(WINDOW)
  /**
   * The offsets of the touched captures, `count` of them, ascending; one more element, for {@link #keepMarked}.
   */
  readonly touched = new Uint16Array(WINDOW + 1)
  count = 0
  /** By offset: the current stamp if all required lists so far contain the capture. */
  readonly #marks = new Uint32Array(WINDOW)
  /** For each required list and offset the index of a marked capture in that list. */
  readonly #indexes: Uint32Array[] = []
  #stamp = 0
  readonly #ordinals = new Uint32Array(BLOCK)
  readonly #frequencies = new Uint32Array(BLOCK)
  #base = 0
  #start = 0
  #end = 0
  #slope = 0
  #lengths: Uint32Array = new Uint32Array(0)
  /** True if captures that are not touched may have a score. */
  #scoresAll = false
  /** The part `[#from, #to)` of the decoded block that is within the window. */
  #from = 0
  #to = 0

  /** Begins a window. @param base - its first ordinal. Only ordinals in `[start, end)`, which are within it, may match. */
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
   * Adds the contributions of a list to all scores. Skips blocks whose upper bound is below `least`: their captures cannot
   * enter the top hits, so their scores may stay too low.
   */
  addAll(list: PostingList, { weight, step }: Scoring, least: number): void {
    this.#scoresAll = true
    const frequencies = this.#frequencies
    for (let block = list.blockOf(this.#start); this.#overlaps(list, block); block++) {
      if (maxContribution(list.blockMaxImpact(block), weight, step) < least) continue
      this.#decode(list, block)
      list.frequenciesLessOne(block, frequencies)
      for (let i = this.#from; i < this.#to; i++) this.#add(weight, this.#ordinals[i]!, frequencies[i]! + 1)
    }
  }

  /**
   * Intersects the touched captures with a required list, and marks the result; the first required list touches all its
   * captures. Intersecting the shortest list first makes the others cheap (small versus small: Culpepper and Moffat, TOIS
   * 2010).
   *
   * @param number - index of the list among the required lists, below {@link MAX_REQUIRED_LISTS}.
   */
  require(list: PostingList, { weight, step }: Scoring, least: number, number: number): void {
    this.#indexes[number] ??= new Uint32Array(WINDOW)
    const indexes = this.#indexes[number]
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
        while (next < before && touched[next]! <= last) next++
        if (next === from) continue
      }
      if (maxContribution(list.blockMaxImpact(block), weight, step) < least) continue
      this.#decode(list, block)
      if (number === 0) count = this.#touchBlock(block * BLOCK, indexes, count)
      else if (next - from < FEW_CANDIDATES) count = this.#searchBlock(block * BLOCK, indexes, from, next, count)
      else count = this.#keepMarked(block * BLOCK, indexes, next, count)
    }
    this.count = count
    this.#mark()
  }

  /** Touches all captures of the decoded block. @param blockStart - index of its first posting in the list. */
  #touchBlock(blockStart: number, indexes: Uint32Array, kept: number): number {
    const { touched } = this
    const ordinals = this.#ordinals
    const base = this.#base
    const to = this.#to
    let count = kept
    for (let i = this.#from; i < to; i++) {
      const at = ordinals[i]! - base
      touched[count++] = at
      indexes[at] = blockStart + i
    }
    return count
  }

  /**
   * Finds the touched captures `[from, to)` in the decoded block by binary search, and writes those that it contains from
   * index `kept` on.
   */
  #searchBlock(blockStart: number, indexes: Uint32Array, from: number, to: number, kept: number): number {
    const { touched } = this
    const ordinals = this.#ordinals
    const base = this.#base
    const end = this.#to
    let low = this.#from
    let count = kept
    for (let t = from; t < to; t++) {
      const at = touched[t]!
      const ordinal = base + at
      for (let high = end; low < high; ) {
        const middle = (low + high) >>> 1
        if (ordinals[middle]! < ordinal) low = middle + 1
        else high = middle
      }
      if (low === end) break
      if (ordinals[low] !== ordinal) continue
      indexes[at] = blockStart + low
      touched[count++] = at
    }
    return count
  }

  /** Like {@link #searchBlock}, but iterates the block and tests marks: faster if many of its captures are touched. */
  #keepMarked(blockStart: number, indexes: Uint32Array, to: number, kept: number): number {
    const { touched } = this
    const marks = this.#marks
    const stamp = this.#stamp
    const ordinals = this.#ordinals
    const base = this.#base
    const end = this.#to
    const behind = touched[to]!
    let count = kept
    // Branchless, because a branch would often be mispredicted: an unmarked capture is overwritten by the next one.
    for (let i = this.#from; i < end; i++) {
      const at = ordinals[i]! - base
      indexes[at] = blockStart + i
      touched[count] = at
      const difference = marks[at]! ^ stamp
      count += ((difference | -difference) >>> 31) ^ 1
    }
    touched[to] = behind
    return count
  }

  /** Marks exactly the touched captures. */
  #mark(): void {
    if (this.#stamp === 0xffff_ffff) {
      this.#stamp = 0
      this.#marks.fill(0)
    }
    const stamp = ++this.#stamp
    for (let i = 0; i < this.count; i++) this.#marks[this.touched[i]!] = stamp
  }

  /** Touches all captures of a set that is within the window, and marks them. */
  touchBits(bits: WindowBits): void {
    this.count = offsetsOf(bits, this.touched)
    this.#mark()
  }

  /** Removes the touched captures that are not in a set. */
  keepBits(bits: WindowBits): void {
    const { touched } = this
    const marks = this.#marks
    let count = 0
    for (let i = 0; i < this.count; i++) {
      const at = touched[i]!
      if ((bits[at >>> 5]! >>> (at & 31)) & 1) touched[count++] = at
      else marks[at] = 0
    }
    this.count = count
  }

  /**
   * Removes the touched captures in which, by the next-word signatures of a required list, no term with this hash can follow
   * its term.
   */
  keepFollowed(list: PostingList, signatures: Uint8Array, hash: number, number: number): void {
    const indexes = this.#indexes[number]!
    const { touched } = this
    const marks = this.#marks
    const bit = nextWordBit(hash)
    let count = 0
    for (let i = 0; i < this.count; i++) {
      const at = touched[i]!
      const index = indexes[at]!
      const signature = signatures[index]!
      // The same test as mayFollow, without a call.
      if (signature === ANYTHING || signature === hash || ((signature & bit) !== 0 && list.frequencyAt(index) > 1))
        touched[count++] = at
      else marks[at] = 0
    }
    this.count = count
  }

  /** The index, in a required list, of the touched capture at an offset. */
  indexOf(at: number, number: number): number {
    return this.#indexes[number]![at]!
  }

  /** Adds the contributions of a required list to the scores of the touched captures. */
  addRequired(list: PostingList, weight: number, number: number): void {
    const indexes = this.#indexes[number]!
    for (let i = 0; i < this.count; i++) {
      const at = this.touched[i]!
      this.#add(weight, this.#base + at, list.frequencyAt(indexes[at]!))
    }
  }

  /** True if {@link addAll} is cheaper than {@link addMarked}. */
  get touchesMany(): boolean {
    return this.count * TOUCHED_RATIO > this.#end - this.#start
  }

  /** Adds the contributions of a list to the scores of the marked captures. */
  addMarked(list: PostingList, { weight, step }: Scoring, least: number): void {
    for (let block = list.blockOf(this.#start); this.#overlaps(list, block); block++) {
      if (maxContribution(list.blockMaxImpact(block), weight, step) < least) continue
      this.#decode(list, block)
      for (let i = this.#from; i < this.#to; i++)
        if (this.#marks[this.#ordinals[i]! - this.#base] === this.#stamp)
          this.#add(weight, this.#ordinals[i]!, list.frequencyAt(block * BLOCK + i))
    }
  }

  /** Touches all captures with a score of at least `least`. */
  touchScores(least: number): void {
    const { scores, touched } = this
    const end = this.#end - this.#base
    let count = 0
    for (let at = this.#start - this.#base; at < end; at++) if (scores[at]! >= least) touched[count++] = at
    this.count = count
  }

  /** Resets the scores of the window to 0. */
  clear(): void {
    if (this.#scoresAll) this.scores.fill(0, this.#start - this.#base, this.#end - this.#base)
    else for (let i = 0; i < this.count; i++) this.scores[this.touched[i]!] = 0
  }

  /** Resets all scores after a search that failed. */
  reset(): void {
    this.scores.fill(0)
  }

  #overlaps(list: PostingList, block: number): boolean {
    return block < list.blocks && (block === 0 || list.last(block - 1) < this.#end - 1)
  }

  #decode(list: PostingList, block: number): void {
    const ordinals = this.#ordinals
    const size = list.ordinals(block, ordinals)
    this.#from = ordinals[0]! >= this.#start ? 0 : lowerBound(ordinals, size, this.#start)
    this.#to = ordinals[size - 1]! < this.#end ? size : lowerBound(ordinals, size, this.#end)
  }

  #add(weight: number, ordinal: number, frequency: number): void {
    this.scores[ordinal - this.#base]! += contribution(weight, frequency, this.#slope, this.#lengths[ordinal]!)
  }
}
