import { ByteWriter } from '../bytes/byte-buffer.ts'
import type { UnorderedPostings } from '../kernels/group-sorter.ts'
import { PageTerms } from '../text/terms/page-terms.ts'
import { TokenBuffer } from '../text/terms/tokens.ts'
import { Uint32List } from './uint32-list.ts'

/**
 * The buffers in which a group is built. The next group of the thread reuses them, because growing new ones for each group
 * costs more time and memory than their contents.
 */
export class GroupWorkspace {
  readonly termBytes = new ByteWriter(64 * 1024)
  readonly termEnds = new Uint32List()
  /** Per posting, capture by capture: its term, its capture, and the end of its bytes. */
  readonly termIds = new Uint32List()
  readonly captureIndexes = new Uint32List()
  readonly ends = new Uint32List()
  /** Per posting: varint frequency − 1, varint bytes of positions, and these, with the next-word signature first. */
  readonly postings = new ByteWriter(256 * 1024)
  readonly bodies = new ByteWriter(256 * 1024)
  readonly vectors = new ByteWriter(64 * 1024)
  /** The tokens, and the terms that the language adds, of a page in such a language. */
  readonly pageTerms = new PageTerms()
  /** The tokens of a field, and the encoded positions of one of its words. */
  readonly fieldTokens = new TokenBuffer()
  readonly fieldPositions = new ByteWriter(64)

  /** Views of the postings, valid until more are added. */
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

/** A workspace that grew beyond this for a huge page is not kept. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

let spare: GroupWorkspace | undefined

/** Returns the workspace of the group before, emptied, or a new one while another group uses it. */
export function takeWorkspace(): GroupWorkspace {
  const space = spare ?? new GroupWorkspace()
  spare = undefined
  return space
}

/** Keeps a workspace for the next group. */
export function returnWorkspace(space: GroupWorkspace): void {
  if (space.bytes > MAX_KEPT_BYTES) return
  space.clear()
  spare = space
}
