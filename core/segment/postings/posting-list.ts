import { lowerBound } from '../../bytes/binary-search.ts'
import { BLOCK, unpack, unpackAscending, unpackOne } from '../../bytes/bit-packing.ts'
import { quantizeImpact, SATURATION_BASE, saturationSlope } from '../ranking-model.ts'
import { openPostings, type PostingsLayout, shortLayout, type TermPostings } from './postings-codec.ts'

/** Number of ordinals of one scoring window. A list has one impact per window: a single read decides if it is skipped. */
export const WINDOW = 4096

/**
 * The postings of one term in one segment, in blocks of 128 ascending ordinals, of which the last may be shorter.
 * Immutable: a query decodes blocks into its own buffers.
 */
export class PostingList {
  readonly count: number
  readonly blocks: number
  /** Number of bytes that this list keeps in memory. */
  readonly bytes: number
  readonly #layout: PostingsLayout
  #windowMaxImpacts: Uint8Array | undefined

  constructor(count: number, layout: PostingsLayout) {
    this.count = count
    this.blocks = layout.blocks
    this.bytes = layout.words.byteLength + layout.offsets.byteLength + layout.tail.byteLength
    this.#layout = layout
  }

  /** @param bytes - the encoded list, starting at an address divisible by 4. */
  static decode(bytes: Uint8Array, count: number): PostingList {
    return new PostingList(count, openPostings(bytes, count))
  }

  /** A short list from the dictionary. Its impact is computed from the lengths of the captures. */
  static inline(postings: TermPostings, lengths: Uint32Array, averageLength: number): PostingList {
    const slope = saturationSlope(averageLength)
    let highest = 0
    for (let i = 0; i < postings.count; i++) {
      const tf = postings.frequencies[i]!
      highest = Math.max(highest, tf / (tf + SATURATION_BASE + slope * lengths[postings.ordinals[i]!]!))
    }
    return new PostingList(postings.count, shortLayout(postings, quantizeImpact(highest)))
  }

  /** The last ordinal of a block. */
  last(block: number): number {
    const { full, words, tail } = this.#layout
    return block < full ? words[block]! : tail[(tail.length >>> 1) - 1]!
  }

  /** The impact of a block, see {@link quantizeImpact}: the highest of its postings. */
  blockMaxImpact(block: number): number {
    const { octets, impactsAt } = this.#layout
    return octets[impactsAt + block]!
  }

  /** The first block whose last ordinal is at least `ordinal`; `blocks` if there is none. */
  blockOf(ordinal: number): number {
    const { words, full } = this.#layout
    const block = lowerBound(words, full, ordinal)
    return block < full || this.blocks === full || this.last(block) >= ordinal ? block : this.blocks
  }

  /** Decodes the ordinals of a block into `out`; returns their number. */
  ordinals(block: number, out: Uint32Array): number {
    const { full, words, octets, offsets, gapWidthsAt, tail } = this.#layout
    if (block < full) {
      unpackAscending(words, offsets[block]!, octets[gapWidthsAt + block]!, block === 0 ? -1 : words[block - 1]!, out)
      return BLOCK
    }
    const size = tail.length >>> 1
    for (let i = 0; i < size; i++) out[i] = tail[i]!
    return size
  }

  /** Decodes the frequencies of a block, each less 1, into `out`. */
  frequenciesLessOne(block: number, out: Uint32Array): void {
    const { full, words, octets, offsets, gapWidthsAt, frequencyWidthsAt, tail } = this.#layout
    if (block < full) {
      unpack(words, offsets[block]! + 4 * octets[gapWidthsAt + block]!, octets[frequencyWidthsAt + block]!, out)
      return
    }
    const size = tail.length >>> 1
    for (let i = 0; i < size; i++) out[i] = tail[size + i]! - 1
  }

  /** The weighted frequency of the posting at `index`, without decoding its block. */
  frequencyAt(index: number): number {
    const block = Math.floor(index / BLOCK)
    const { full, words, octets, offsets, gapWidthsAt, frequencyWidthsAt, tail } = this.#layout
    const within = index - block * BLOCK
    if (block >= full) return tail[(tail.length >>> 1) + within]!
    const at = offsets[block]! + 4 * octets[gapWidthsAt + block]!
    return unpackOne(words, at, octets[frequencyWidthsAt + block]!, within) + 1
  }

  /** The number of postings with an ordinal below `end`: the document frequency up to an instant. */
  countBelow(end: number, scratch: Uint32Array): number {
    if (end <= 0) return 0
    const block = this.blockOf(end)
    if (block === this.blocks) return this.count
    const size = this.ordinals(block, scratch)
    return block * BLOCK + lowerBound(scratch, size, end)
  }

  /**
   * For each window of {@link WINDOW} ordinals an upper bound of the impacts ({@link quantizeImpact}) of its postings. 0 only in
   * windows without a posting; such a window may also have the impact of a block that begins or ends next to it.
   */
  windowMaxImpacts(): Uint8Array {
    if (this.#windowMaxImpacts) return this.#windowMaxImpacts
    const impacts = new Uint8Array(Math.floor(this.last(this.blocks - 1) / WINDOW) + 1)
    const ordinals = new Uint32Array(BLOCK)
    let from = 0
    for (let block = 0; block < this.blocks; block++) {
      const impact = this.blockMaxImpact(block)
      const to = this.last(block)
      if (Math.floor(to / WINDOW) - Math.floor(from / WINDOW) <= 1) {
        for (let w = Math.floor(from / WINDOW); w <= Math.floor(to / WINDOW); w++)
          if (impacts[w]! < impact) impacts[w] = impact
      } else {
        const size = this.ordinals(block, ordinals)
        for (let i = 0; i < size; i++) {
          const w = Math.floor(ordinals[i]! / WINDOW)
          if (impacts[w]! < impact) impacts[w] = impact
        }
      }
      from = to + 1
    }
    this.#windowMaxImpacts = impacts
    return impacts
  }
}
