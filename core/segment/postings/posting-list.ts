import { lowerBound } from '../../bytes/binary-search.ts'
import { BLOCK, unpack, unpackAscending, unpackOne } from '../../bytes/bit-packing.ts'
import type { Allocation } from '../arena.ts'
import type { Saturation } from '../ranking-model.ts'
import { imageBytes, placeList, readPlaced } from './list-image.ts'
import { corrupt, openPostings, type PostingsLayout, shortLayout, type TermPostings } from './postings-codec.ts'
import { raiseImpacts, windowCount } from './window-impacts.ts'

/**
 * The postings of one term in one segment, in blocks of 128 ascending ordinals, of which the last may be shorter.
 * Immutable: a query decodes blocks into its own buffers.
 */
export class PostingList {
  readonly count: number
  readonly blocks: number
  #layout: PostingsLayout
  #place: Allocation | undefined
  readonly #saturation: Saturation
  #windowMaxImpacts: Uint8Array | undefined

  constructor(count: number, layout: PostingsLayout, saturation: Saturation) {
    this.count = count
    this.blocks = layout.blocks
    this.#layout = layout
    this.#saturation = saturation
  }

  /**
   * @param bytes - the encoded list, starting at an address divisible by 4.
   * @param captures - number of captures of its segment.
   * @param saturation - the function with which the list was encoded.
   * @throws ASOF_STORE_CORRUPT
   */
  static decode(bytes: Uint8Array, count: number, captures: number, saturation: Saturation): PostingList {
    return new PostingList(count, openPostings(bytes, count, captures), saturation)
  }

  /**
   * A short list from the dictionary. Its impact is computed.
   *
   * @throws ASOF_STORE_CORRUPT
   */
  static inline(postings: TermPostings, captures: number, saturation: Saturation): PostingList {
    return new PostingList(postings.count, shortLayout(postings, captures, saturation), saturation)
  }

  /** A list that another thread has moved to a place, with the same `saturation`. */
  static placed(place: Allocation, saturation: Saturation): PostingList {
    const { count, layout } = readPlaced(place)
    const list = new PostingList(count, layout, saturation)
    list.#place = place
    return list
  }

  /** Number of bytes that the list takes in an arena; about as many as in ordinary memory. */
  get imageBytes(): number {
    return imageBytes(this.#layout, this.windowMaxImpacts().length)
  }

  /** Where the list lies in an arena; undefined in ordinary memory. */
  get place(): Allocation | undefined {
    return this.#place
  }

  /** Moves the list to an arena, where it takes {@link imageBytes} bytes. */
  moveTo(place: Allocation): void {
    this.#layout = this.copyTo(place)
    this.#place = place
    // The array was computed, or is a view of the memory that the list leaves. From now on it is read from the arena.
    this.#windowMaxImpacts = undefined
  }

  /** Copies the list to an arena, where it takes {@link imageBytes} bytes, and returns the layout of the copy. */
  copyTo(place: Allocation): PostingsLayout {
    return placeList(this.count, this.#layout, this.windowMaxImpacts(), place)
  }

  /** The last ordinal of a block. */
  last(block: number): number {
    const { full, words, tail } = this.#layout
    return block < full ? words[block]! : tail[(tail.length >>> 1) - 1]!
  }

  /** The impact of a block, see `quantizeImpact`: the highest of its postings. */
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

  /**
   * Decodes the ordinals of a block into `out`; returns their number.
   *
   * @throws ASOF_STORE_CORRUPT - the last one is not {@link last}. Otherwise they ascend, unless gaps that are wider than
   *   25 bits overflow.
   */
  ordinals(block: number, out: Uint32Array): number {
    const { full, words, octets, offsets, gapWidthsAt, tail } = this.#layout
    if (block < full) {
      unpackAscending(words, offsets[block]!, octets[gapWidthsAt + block]!, block === 0 ? -1 : words[block - 1]!, out)
      if (out[BLOCK - 1] !== words[block]) throw corrupt('has a block that does not end with its last ordinal')
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

  /** The impact of each window up to that of the last posting: the highest of its postings. 0 in a window without postings. */
  windowMaxImpacts(): Uint8Array {
    this.#windowMaxImpacts ??= this.#readWindowImpacts() ?? this.#computeWindowImpacts()
    return this.#windowMaxImpacts
  }

  get #windows(): number {
    return this.blocks > 0 ? windowCount(this.last(this.blocks - 1)) : 0
  }

  #readWindowImpacts(): Uint8Array | undefined {
    const { octets, windowImpactsAt: at } = this.#layout
    return at < 0 ? undefined : octets.subarray(at, at + this.#windows)
  }

  #computeWindowImpacts(): Uint8Array {
    const windows = new Uint8Array(this.#windows)
    const ordinals = new Uint32Array(BLOCK)
    const frequencies = new Uint32Array(BLOCK)
    for (let block = 0; block < this.blocks; block++) {
      const size = this.ordinals(block, ordinals)
      this.frequenciesLessOne(block, frequencies)
      for (let i = 0; i < size; i++) frequencies[i]!++
      raiseImpacts(ordinals, frequencies, 0, size, this.#saturation, windows)
    }
    return windows
  }
}
