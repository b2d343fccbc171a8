import { BLOCK, unpack } from './bit-packing.ts'
import { openPostings, type PostingsLayout, type TermPostings } from './postings-codec.ts'
import { boundCode, SATURATION_BASE, saturationSlope } from './ranking-model.ts'

/** Ordinals of one scoring window; bounds are kept per window so that skipping one costs a single look. */
export const WINDOW = 4096

/** What a list without full blocks has of them: most lists have none, and an empty array costs as much as a small one. */
const noWords = new Uint32Array(0)
const noBytes = new Uint8Array(0)

/**
 * The postings of one term in one segment, as blocks of up to 128 ascending ordinals. The last block may be shorter.
 * Immutable: what a query decodes goes into the caller's buffers.
 */
export class PostingList {
  readonly count: number
  readonly blocks: number
  /** Bytes this list keeps in memory. */
  readonly bytes: number
  /** Highest bound code of any block. */
  readonly bound: number
  readonly #layout: PostingsLayout
  #windowBounds: Uint8Array | undefined

  constructor(count: number, layout: PostingsLayout) {
    this.count = count
    this.blocks = layout.bounds.length
    this.bytes = layout.words.byteLength + layout.offsets.byteLength + layout.tail * 8 + 256
    this.#layout = layout
    let bound = 0
    for (const code of layout.bounds) if (code > bound) bound = code
    this.bound = bound
  }

  /** @param bytes - the encoded list, starting at an address divisible by 4. */
  static decode(bytes: Uint8Array, count: number): PostingList {
    return new PostingList(count, openPostings(bytes, count))
  }

  /** A short list kept in the dictionary; its bound is worked out from the captures' lengths. */
  static inline(postings: TermPostings, lengths: Uint32Array, averageLength: number): PostingList {
    const slope = saturationSlope(averageLength)
    let highest = 0
    for (let i = 0; i < postings.count; i++) {
      const tf = postings.frequencies[i]
      highest = Math.max(highest, tf / (tf + SATURATION_BASE + slope * lengths[postings.ordinals[i]]))
    }
    return new PostingList(postings.count, {
      full: 0,
      tail: postings.count,
      words: noWords,
      lastOrdinals: noWords,
      bounds: Uint8Array.of(boundCode(highest)),
      gapWidths: noBytes,
      frequencyWidths: noBytes,
      offsets: noWords,
      tailOrdinals: postings.ordinals,
      tailFrequencies: postings.frequencies,
    })
  }

  /** The last ordinal of a block. */
  last(block: number): number {
    const { full, lastOrdinals, tailOrdinals } = this.#layout
    return block < full ? lastOrdinals[block] : tailOrdinals[tailOrdinals.length - 1]
  }

  /** Bound code of a block. */
  blockBound(block: number): number {
    return this.#layout.bounds[block]
  }

  /** The first block whose last ordinal is at least `ordinal`; `blocks` when there is none. */
  blockOf(ordinal: number): number {
    const { lastOrdinals, full } = this.#layout
    let low = 0
    let high = full
    while (low < high) {
      const middle = (low + high) >>> 1
      if (lastOrdinals[middle] < ordinal) low = middle + 1
      else high = middle
    }
    return low < full || this.blocks === full || this.last(low) >= ordinal ? low : this.blocks
  }

  /** Decodes the ordinals of a block into `out`; returns how many. */
  ordinals(block: number, out: Uint32Array): number {
    const { full, words, offsets, gapWidths, lastOrdinals, tailOrdinals } = this.#layout
    if (block >= full) {
      out.set(tailOrdinals)
      return tailOrdinals.length
    }
    unpack(words, offsets[block], gapWidths[block], out)
    let previous = block === 0 ? -1 : lastOrdinals[block - 1]
    for (let i = 0; i < BLOCK; i++) {
      previous += out[i] + 1
      out[i] = previous
    }
    return BLOCK
  }

  /** Decodes the frequencies of a block, each less 1, into `out`. */
  frequenciesLessOne(block: number, out: Uint32Array): void {
    const { full, words, offsets, gapWidths, frequencyWidths, tailFrequencies } = this.#layout
    if (block >= full) {
      for (let i = 0; i < tailFrequencies.length; i++) out[i] = tailFrequencies[i] - 1
      return
    }
    unpack(words, offsets[block] + 4 * gapWidths[block], frequencyWidths[block], out)
  }

  /** Captures of the list with an ordinal below `end`: the document frequency up to a cut. */
  countBelow(end: number, scratch: Uint32Array): number {
    if (end <= 0) return 0
    const block = this.blockOf(end)
    if (block === this.blocks) return this.count
    const size = this.ordinals(block, scratch)
    return block * BLOCK + lowerBound(scratch, size, end)
  }

  /** Highest bound code per window of {@link WINDOW} ordinals; 0 where the list has no posting. */
  windowBounds(): Uint8Array {
    if (this.#windowBounds) return this.#windowBounds
    const bounds = new Uint8Array(Math.floor(this.last(this.blocks - 1) / WINDOW) + 1)
    const ordinals = new Uint32Array(BLOCK)
    let from = 0
    for (let block = 0; block < this.blocks; block++) {
      const code = this.#layout.bounds[block]
      const to = this.last(block)
      if (Math.floor(to / WINDOW) - Math.floor(from / WINDOW) <= 1) {
        for (let w = Math.floor(from / WINDOW); w <= Math.floor(to / WINDOW); w++)
          if (bounds[w] < code) bounds[w] = code
      } else {
        const size = this.ordinals(block, ordinals)
        for (let i = 0; i < size; i++) {
          const w = Math.floor(ordinals[i] / WINDOW)
          if (bounds[w] < code) bounds[w] = code
        }
      }
      from = to + 1
    }
    this.#windowBounds = bounds
    return bounds
  }
}

/** The first index in `[0, size)` of ascending `values` whose value is at least `target`. */
export function lowerBound(values: ArrayLike<number>, size: number, target: number): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle] < target) low = middle + 1
    else high = middle
  }
  return low
}
