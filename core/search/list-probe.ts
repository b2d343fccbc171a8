import { BLOCK } from '../segment/bit-packing.ts'
import { lowerBound, type PostingList } from '../segment/posting-list.ts'

/** Finds single ordinals in a posting list, keeping the block it decoded last. */
export class ListProbe {
  readonly list: PostingList
  readonly #ordinals = new Uint32Array(BLOCK)
  readonly #frequencies = new Uint32Array(BLOCK)
  #block = -1
  #size = 0
  #frequencyBlock = -1
  #found = 0

  constructor(list: PostingList) {
    this.list = list
  }

  /** The index of `ordinal` in the list, or −1. */
  find(ordinal: number): number {
    if (this.#size === 0 || ordinal < this.#ordinals[0] || ordinal > this.#ordinals[this.#size - 1]) {
      const block = this.list.blockOf(ordinal)
      if (block === this.list.blocks) return -1
      if (block !== this.#block) {
        this.#size = this.list.ordinals(block, this.#ordinals)
        this.#block = block
      }
    }
    const at = lowerBound(this.#ordinals, this.#size, ordinal)
    if (at === this.#size || this.#ordinals[at] !== ordinal) return -1
    this.#found = at
    return this.#block * BLOCK + at
  }

  /** The weighted frequency of what {@link find} found last. */
  frequency(): number {
    if (this.#frequencyBlock !== this.#block) {
      this.list.frequenciesLessOne(this.#block, this.#frequencies)
      this.#frequencyBlock = this.#block
    }
    return this.#frequencies[this.#found] + 1
  }
}
