import { ByteWriter } from '../bytes/byte-buffer.ts'
import type { UnorderedPostings } from '../kernels/group-sorter.ts'
import { PageTerms } from '../text/terms/page-terms.ts'
import { TokenBuffer } from '../text/terms/tokens.ts'
import { Uint32List } from './uint32-list.ts'

/**
 * The buffers in which a group is built. The thread reuses them for its next group, because allocating them anew would
 * cost more than filling them.
 */
export class GroupWorkspace {
  readonly termBytes = new ByteWriter(64 * 1024)
  readonly termEnds = new Uint32List()
  /**
   * Parallel lists with an item for each posting, capture by capture: term, capture, and end of the posting's bytes.
   */
  readonly termIds = new Uint32List()
  readonly captureIndexes = new Uint32List()
  readonly ends = new Uint32List()
  /**
   * The bytes of each posting: varint frequency − 1, varint number of bytes that follow, next-word signature,
   * positions.
   */
  readonly postings = new ByteWriter(256 * 1024)
  readonly bodies = new ByteWriter(256 * 1024)
  readonly vectors = new ByteWriter(64 * 1024)
  /** The tokens of a page, with the terms that its language adds. */
  readonly pageTerms = new PageTerms()
  /** The tokens of a field, and the encoded positions of one word of the field. */
  readonly fieldTokens = new TokenBuffer()
  readonly fieldPositions = new ByteWriter(64)

  /** Returns views of the postings. They are valid until more postings are added. */
  unorderedPostings(): UnorderedPostings {
    return {
      terms: this.termBytes.bytes.subarray(0, this.termBytes.length),
      termEnds: this.termEnds.list(),
      termIds: this.termIds.list(),
      captureIndexes: this.captureIndexes.list(),
      ends: this.ends.list(),
      postings: this.postings.bytes.subarray(0, this.postings.length),
    }
  }

  get bytes(): number {
    const words = 3 * this.termIds.values.length + 4 * this.pageTerms.positions.length
    return this.vectors.bytes.length + this.bodies.bytes.length + this.postings.bytes.length + 4 * words
  }

  clear(): void {
    this.termBytes.clear()
    this.postings.clear()
    this.bodies.clear()
    this.vectors.clear()
    for (const list of [this.termEnds, this.termIds, this.captureIndexes, this.ends]) list.length = 0
  }
}

/** A workspace that a huge page made larger than this is not reused. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

let spare: GroupWorkspace | undefined

/** Returns an empty workspace: the one that was kept, or a new one. */
export function takeWorkspace(): GroupWorkspace {
  const space = spare ?? new GroupWorkspace()
  spare = undefined
  return space
}

/** Empties a workspace and keeps it for the next group. */
export function returnWorkspace(space: GroupWorkspace): void {
  if (space.bytes > MAX_KEPT_BYTES) return
  space.clear()
  spare = space
}
