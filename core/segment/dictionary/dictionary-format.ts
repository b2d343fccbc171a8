import type { TermPostings } from '../postings/postings-codec.ts'

/**
 * The terms of a segment in ascending UTF-16 order, front-coded, in chunks of about 4 KiB with a restart every 16
 * entries. A segment keeps the first term of each chunk in memory; a lookup reads one chunk.
 *
 * Chunk: version · varint r · r × u32 offset of the entry at each restart · entries.
 *
 * Entry: at a restart varint postings address / 4, varint positions address / 4; then varint number of bytes shared with
 * the term before (0 at a restart), varint number of the term's other bytes, those bytes in UTF-8, varint n (the number
 * of postings), and
 *   n ≤ 3: n × (varint gap − 1, varint frequency − 1, varint length, signature and position bytes), so that rare terms
 *          need no other read;
 *   n > 3: varint length of the posting list / 4, varint length of the positions list / 4.
 */
export const VERSION = 1
export const CHUNK_TARGET_BYTES = 4 * 1024
export const RESTART_EVERY = 16

/** Posting lists of at most this many postings are kept in the dictionary itself. */
export const INLINE_POSTINGS = 3

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
