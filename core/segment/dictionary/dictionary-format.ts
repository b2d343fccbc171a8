import { BLOCK } from '../../bytes/bit-packing.ts'
import type { TermPostings } from '../postings/postings-codec.ts'

/**
 * The terms of a segment in ascending UTF-16 order, front-coded, in chunks of about 4 KiB with a restart every 16
 * entries. A segment keeps the first term of each chunk in memory; a lookup reads one chunk.
 *
 * Chunk: version · varint r · r × u32 offset of the entry at each restart · entries.
 *
 * Entry: at a restart varint postings address, varint positions address; then a byte with the number of bytes shared with the
 * term before (0 at a restart) in its upper half and the number of the term's other bytes in its lower half, where 15 stands
 * for at least 15 and a varint with the rest follows, first for the upper half; the other bytes in UTF-8; varint n (the
 * number of postings), and
 *   n ≤ 3: the postings, see `writeInline`, so that rare terms need no other read;
 *   n > 3: varint length of the posting list, varint length of the positions list, in units of {@link listUnit}.
 */
export const VERSION = 1
export const CHUNK_TARGET_BYTES = 4 * 1024
export const RESTART_EVERY = 16

/** Posting lists of at most this many postings are kept in the dictionary itself. */
export const INLINE_POSTINGS = 3

/**
 * Both lists of a term begin at a multiple of this number of bytes and have a multiple of it: with full blocks they are read
 * as words.
 */
export function listUnit(count: number): number {
  return count < BLOCK ? 1 : 4
}

/** The highest number that half a byte holds by itself. */
export const HALF_BYTE = 15

/** Where the posting list and the positions list of a term are in their streams. */
export interface TermPlace {
  /** Number of captures of the segment that hold the term. */
  count: number
  postingsAt: number
  postingsBytes: number
  positionsAt: number
  positionsBytes: number
}

/** A term with the place of its lists, and the postings themselves if they are inline. */
export interface TermEntry extends TermPlace {
  term: string
  inline?: TermPostings
}
