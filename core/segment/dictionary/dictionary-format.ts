import { BLOCK } from '../../bytes/bit-packing.ts'
import type { TermPostings } from '../postings/postings-codec.ts'
import { LONG_LIST_BYTES } from '../streams.ts'

/**
 * The terms of a segment in ascending UTF-16 order, front-coded, in chunks of about 4 KiB with a restart every 16
 * entries. A segment keeps the first term of each chunk in memory; a lookup reads one chunk.
 *
 * Chunk: version · varint r · r × u32 offset of the entry at each restart · entries.
 *
 * Entry: at a restart the {@link ListEnds} of the terms before as varints: postings, long postings, positions; then a byte with the number of
 * bytes shared with the term before (0 at a restart) in its upper half and the number of the term's other bytes in its lower half, where 15 stands
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

/** The size of the posting list and the positions list of a term. */
export interface ListSizes {
  /** Number of captures of the segment that hold the term. */
  count: number
  /** 0 if the postings are in the dictionary itself. */
  postingsBytes: number
  /** As `postingsBytes`. */
  positionsBytes: number
}

/** A term with the place of its lists, and the postings themselves if they are inline. */
export interface TermEntry extends ListSizes {
  term: string
  /** Address in `postingsStream(postingsBytes)`; 0 if the postings are inline. */
  postingsAt: number
  positionsAt: number
  inline?: TermPostings
}

/** Where the lists of the terms so far end in their streams. Those of the next term begin there, at the next multiple of its {@link listUnit}. */
export class ListEnds {
  postings = 0
  longPostings = 0
  positions = 0

  /** Adds the lists of a term that is not inline; returns where its posting list begins. Its positions end at `positions`. */
  add({ count, postingsBytes, positionsBytes }: ListSizes): number {
    const unit = listUnit(count)
    const name = postingsBytes < LONG_LIST_BYTES ? 'postings' : 'longPostings'
    const at = aligned(this[name], unit)
    this[name] = at + postingsBytes
    this.positions = aligned(this.positions, unit) + positionsBytes
    return at
  }
}

function aligned(at: number, unit: number): number {
  return Math.ceil(at / unit) * unit
}
