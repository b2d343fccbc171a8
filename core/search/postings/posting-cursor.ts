import { BLOCK } from '../../bytes/bit-packing.ts'
import { lowerBound, type PostingList } from '../../segment/postings/posting-list.ts'
import { blockBuffer } from './block-buffers.ts'

/** Finds single ordinals in a posting list, keeping the block it decoded last. */
export class ListProbe {
  readonly list: PostingList
  #ordinals: Uint32Array | undefined
  #block = -1
  #decoded = -1
  #size = 0
  #found = 0
  /** The ordinal whose index is `#found`. */
  #foundOrdinal = -1

  constructor(list: PostingList) {
    this.list = list
  }

  /** Goes to the block in which `ordinal` would stand; false when it lies behind the list. Decodes nothing. */
  seek(ordinal: number): boolean {
    const { list } = this
    const block = this.#block
    if (block >= 0 && ordinal <= list.last(block) && (block === 0 || ordinal > list.last(block - 1))) return true
    const sought = list.blockOf(ordinal)
    if (sought === list.blocks) return false
    this.#block = sought
    return true
  }

  /** Bound code of the block that {@link seek} found. */
  get bound(): number {
    return this.list.blockBound(this.#block)
  }

  /** The index of `ordinal` in the list, or −1. */
  find(ordinal: number): number {
    if (ordinal === this.#foundOrdinal) return this.#found
    if (!this.seek(ordinal)) return -1
    this.#ordinals ??= blockBuffer()
    if (this.#decoded !== this.#block) {
      this.#size = this.list.ordinals(this.#block, this.#ordinals)
      this.#decoded = this.#block
    }
    const at = lowerBound(this.#ordinals, this.#size, ordinal)
    if (this.#ordinals[at] !== ordinal) return -1
    this.know(ordinal, this.#block * BLOCK + at)
    return this.#found
  }

  /** Takes `index` for that of `ordinal`, which is in the list. */
  know(ordinal: number, index: number): void {
    this.#foundOrdinal = ordinal
    this.#found = index
  }

  /** The weighted frequency of what {@link find} found last. */
  frequency(): number {
    return this.list.frequencyAt(this.#found)
  }
}

/** The probes of one query into one segment: one for each list, however many ask for it. */
export class ListProbes {
  readonly #probes = new Map<PostingList, ListProbe>()

  of(list: PostingList): ListProbe {
    let probe = this.#probes.get(list)
    if (!probe) {
      probe = new ListProbe(list)
      this.#probes.set(list, probe)
    }
    return probe
  }
}
