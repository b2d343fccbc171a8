import { lowerBound } from '../bytes/binary-search.ts'
import { BLOCK } from '../bytes/bit-packing.ts'
import type { PostingList } from '../segment/postings/posting-list.ts'
import type { BlockBuffers } from './block-buffers.ts'

/**
 * A random-access cursor over one posting list. It moves in either direction and keeps the block that it decoded last, so
 * ordinals that are close together decode a block once.
 */
export class PostingCursor {
  readonly list: PostingList
  readonly #buffers: BlockBuffers
  #ordinals: Uint32Array | undefined
  /** The current block, or −1. */
  #block = -1
  /** The block that `#ordinals` contains, or −1. */
  #decoded = -1
  #size = 0
  #index = 0
  /** The ordinal at `#index`. */
  #ordinal = -1

  /** @param buffers - the cursor takes one of them when it decodes its first block. */
  constructor(list: PostingList, buffers: BlockBuffers) {
    this.list = list
    this.#buffers = buffers
  }

  /** Moves to the block that would contain `target`, without decoding it. Returns false if the list ends before `target`. */
  #advanceShallow(target: number): boolean {
    const { list } = this
    const block = this.#block
    if (block >= 0 && target <= list.last(block) && (block === 0 || target > list.last(block - 1))) return true
    const found = list.blockOf(target)
    if (found === list.blocks) return false
    this.#block = found
    return true
  }

  /** Moves to `target` and returns its index in the list, or −1 if the list does not contain it. */
  advance(target: number): number {
    if (target === this.#ordinal) return this.#index
    if (!this.#advanceShallow(target)) return -1
    this.#ordinals ??= this.#buffers.take()
    if (this.#decoded !== this.#block) {
      this.#size = this.list.ordinals(this.#block, this.#ordinals)
      this.#decoded = this.#block
    }
    const at = lowerBound(this.#ordinals, this.#size, target)
    if (this.#ordinals[at] !== target) return -1
    this.moveTo(target, this.#block * BLOCK + at)
    return this.#index
  }

  /** Moves to an ordinal whose index in the list is already known. */
  moveTo(ordinal: number, index: number): void {
    this.#ordinal = ordinal
    this.#index = index
  }

  /** The weighted frequency of the posting that {@link advance} found or {@link moveTo} named. */
  frequency(): number {
    return this.list.frequencyAt(this.#index)
  }
}

/** The cursors of one query into one segment. All parts of the query that read the same list share one cursor. */
export class PostingCursors {
  readonly #cursors = new Map<PostingList, PostingCursor>()
  readonly #buffers: BlockBuffers

  constructor(buffers: BlockBuffers) {
    this.#buffers = buffers
  }

  of(list: PostingList): PostingCursor {
    let cursor = this.#cursors.get(list)
    if (!cursor) {
      cursor = new PostingCursor(list, this.#buffers)
      this.#cursors.set(list, cursor)
    }
    return cursor
  }
}
