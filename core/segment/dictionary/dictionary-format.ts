import { BLOCK } from '../../bytes/bit-packing.ts'
import type { TermPostings } from '../postings/postings-codec.ts'
import { LONG_LIST_BYTES } from '../streams.ts'

/**
 * The terms of a segment in ascending UTF-16 order, front-coded, in chunks of about 4 KiB with a restart every 16
 * entries. A segment keeps the first term of each chunk in memory; a lookup reads one chunk.
 *
 * Chunk: version · varint r · r × u32 offset of the entry at each restart · entries.
 *
 * Entry, in this order:
 *   only at a restart, the {@link ListEnds} of all terms before, as varints: postings, long postings, positions;
 *   a byte: its upper half is the number of bytes that the term shares with the term before (0 at a restart), its lower half the number
 *   of its other bytes. A half of 15 stands for 15 or more;
 *   for each half that is 15, the upper one first, varint number − 15;
 *   the other bytes of the term, UTF-8;
 *   varint n, the number of postings;
 *   if n ≤ 3, the postings, see `writeInline`, so that rare terms need no other read;
 *   if n > 3, varint length of the posting list, varint length of the positions list, both in units of {@link listUnit}.
 *   If the term has a standing list, a 0 comes before these two lengths, and after them varint number of captures that had ended, varint
 *   length of the standing list, varint its address, both in units of {@link STANDING_UNIT}. Segments of pages that were captured once have no such term.
 */
export const VERSION = 1
export const CHUNK_TARGET_BYTES = 4 * 1024
export const RESTART_EVERY = 16

/** Posting lists of at most this many postings are kept in the dictionary itself. */
export const INLINE_POSTINGS = 3

/** Terms with at least this many postings have a standing list if one of their captures had ended. Shorter lists are counted one by one. */
export const STANDING_STORED_FROM = BLOCK

/**
 * Returns the unit of a term's two lists, bytes: each begins at a multiple of it and has a multiple of it as its length. Lists with full
 * blocks are read as 32-bit words, so their unit is 4.
 */
export function listUnit(count: number): number {
  return count < BLOCK ? 1 : 4
}

/** The unit of addresses and lengths of standing lists, bytes. */
export const STANDING_UNIT = 4

/** The highest number in half a byte. It marks a number that is at least as high, the rest of which follows. */
export const HALF_BYTE = 15

/** The captures of a term that had ended when the segment was written, and where its standing list is. All 0 if the term has none. */
export interface StandingPlace {
  /** Number of captures that had ended. 0 also for a term with fewer than {@link STANDING_STORED_FROM} postings. */
  ended: number
  /** Address in the stream of standing lists. */
  standingAt: number
  standingBytes: number
}

/** The size of the posting list and the positions list of a term. */
export interface ListSizes extends StandingPlace {
  /** Number of captures of the segment that hold the term. */
  count: number
  /** 0 if the postings are in the dictionary itself. */
  postingsBytes: number
  /** 0 if the postings are in the dictionary itself. */
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

/** The end of the last list so far in each stream. The lists of the next term begin there, rounded up to its {@link listUnit}. */
export class ListEnds {
  postings = 0
  longPostings = 0
  positions = 0

  /** Adds the lists of a term that is not inline. Returns the address of its posting list. Its positions list ends at `positions`. */
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
