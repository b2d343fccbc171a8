import { ByteWriter } from '../bytes/byte-buffer.ts'
import { VECTOR_TERMS } from '../store/records/term-vector.ts'
import { PageTerms } from '../text/terms/page-terms.ts'
import { TokenBuffer } from '../text/terms/tokens.ts'
import { Uint32List } from './uint32-list.ts'

/** Stand for the hash of a term: it is not computed yet (`UNKNOWN`), or term vectors leave the term out (`LEFT_OUT`). */
export const UNKNOWN = -1
export const LEFT_OUT = -2

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
  /** Per term of the group, its hash in a term vector; {@link UNKNOWN} until it is computed. */
  vectorHashes = new Int32Array(1024).fill(UNKNOWN)
  /** Per term of the group, its hash in the next-word signature of the word before it. */
  nextWordHashes = new Uint8Array(1024)
  /** The term vector of the current capture. */
  readonly hashes = new Uint16Array(VECTOR_TERMS)
  readonly frequencies = new Uint8Array(VECTOR_TERMS)
  readonly tokens = new TokenBuffer()
  /** The tokens, and the terms that the language adds, of a page in such a language. */
  readonly pageTerms = new PageTerms()
  /** The tokens of a field, and the encoded positions of one of its words. */
  readonly fieldTokens = new TokenBuffer()
  readonly fieldPositions = new ByteWriter(64)
  /** Per term of the group, its first and last token in the current capture. Between captures, `firstToken` is −1. */
  firstToken = new Int32Array(1024).fill(-1)
  lastToken = new Int32Array(1024)
  /** Per token, the next token of the same term. */
  nextToken = new Int32Array(1024)
  /** The distinct terms of the current capture. */
  readonly distinct = new Uint32List()

  get bytes(): number {
    const tokens = this.tokens.positions.length + this.pageTerms.positions.length
    const words = 3 * this.termIds.values.length + 4 * tokens + this.nextToken.length
    return (
      this.vectors.bytes.length +
      this.bodies.bytes.length +
      this.postings.bytes.length +
      4 * (words + 3 * this.firstToken.length)
    )
  }

  clear(): void {
    this.termBytes.clear()
    this.postings.clear()
    this.bodies.clear()
    this.vectors.clear()
    this.vectorHashes.fill(UNKNOWN)
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
