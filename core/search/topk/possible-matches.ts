import { BLOCK } from '../../bytes/bit-packing.ts'
import type { OpenedQuery } from '../../kernels/topk-query.ts'
import type { OrdinalBits } from '../../postings/ordinal-bits.ts'
import type { PostingList } from '../../segment/postings/posting-list.ts'
import { WINDOW } from '../../segment/postings/window-impacts.ts'

const ordinals = new Uint32Array(BLOCK)

/** Reads the captures that may match a query in one span of captures after another, without scoring them. */
export class PossibleMatches {
  /** Number of captures of a span. */
  readonly span: number
  /** One bit for each capture of the span that {@link read} was called for last. */
  readonly bits: OrdinalBits
  readonly #others: OrdinalBits
  /** The parts of {@link #others} that belong to one window each. */
  readonly #windows: readonly OrdinalBits[]

  /** @param windows - number of windows of a span. */
  constructor(windows: number) {
    this.span = windows * WINDOW
    this.bits = new Uint32Array(this.span / 32)
    this.#others = new Uint32Array(this.span / 32)
    const words = WINDOW / 32
    this.#windows = Array.from({ length: windows }, (_, w) => this.#others.subarray(w * words, (w + 1) * words))
  }

  /**
   * Sets the bits of the captures of a span that are in the range and the lists of a view and may fulfill its condition. The caller must test
   * whether they are current at the instant, and whether they fulfill a condition that is not exact.
   *
   * @param base - the first ordinal of the span, a multiple of {@link WINDOW}.
   */
  read({ lists, onlyScored, condition, from, to }: OpenedQuery, base: number): void {
    const { bits } = this
    const others = this.#others
    const required = lists.filter(({ required }) => required)
    const scores = lists.filter(({ weight }) => weight > 0)
    if (required.length > 0) this.#readAll(required, base)
    else if (onlyScored) this.#readAny(scores, base)
    else bits.fill(0xffff_ffff)
    if (onlyScored && required.length > 0 && !required.some(({ weight }) => weight > 0)) {
      others.fill(0)
      for (const { list } of scores) addPostings(list, base, others)
      intersect(bits, others)
    }
    clip(bits, from - base, to - base)
    if (!condition) return
    for (let w = 0; w < this.#windows.length; w++) {
      const window = this.#windows[w]!
      const isIn = base + w * WINDOW < to && base + (w + 1) * WINDOW > from
      if (isIn) condition.fill(base + w * WINDOW, window)
      else window.fill(0)
    }
    intersect(bits, others)
  }

  #readAny(lists: readonly { list: PostingList }[], base: number): void {
    this.bits.fill(0)
    for (const { list } of lists) addPostings(list, base, this.bits)
  }

  #readAll(lists: readonly { list: PostingList }[], base: number): void {
    lists.forEach(({ list }, l) => {
      const into = l === 0 ? this.bits : this.#others
      into.fill(0)
      addPostings(list, base, into)
      if (l > 0) intersect(this.bits, into)
    })
  }
}

/** Adds the captures of a list that are within the span that begins at `base`. */
function addPostings(list: PostingList, base: number, bits: OrdinalBits): void {
  const span = bits.length * 32
  for (let block = list.blockOf(base); block < list.blocks; block++) {
    if (block > 0 && list.last(block - 1) >= base + span - 1) return
    const size = list.ordinals(block, ordinals)
    for (let i = 0; i < size; i++) {
      const at = ordinals[i]! - base
      // One comparison for both ends: a negative number is a large one without its sign.
      if (at >>> 0 < span) bits[at >>> 5]! |= 1 << (at & 31)
    }
  }
}

function intersect(bits: OrdinalBits, others: OrdinalBits): void {
  for (let i = 0; i < bits.length; i++) bits[i]! &= others[i]!
}

/** Clears the bits outside of `[start, end)`. */
function clip(bits: OrdinalBits, start: number, end: number): void {
  const size = bits.length * 32
  if (start > 0) {
    const from = Math.min(start, size)
    bits.fill(0, 0, from >>> 5)
    if (from & 31) bits[from >>> 5]! &= 0xffff_ffff << (from & 31)
  }
  if (end < size) {
    const to = Math.max(0, end)
    bits.fill(0, (to + 31) >>> 5)
    if (to & 31) bits[to >>> 5]! &= 0xffff_ffff >>> (32 - (to & 31))
  }
}
