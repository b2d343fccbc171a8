import type { ByteReader, ByteWriter } from '../bytes/byte-buffer.ts'
import { fnv1a } from '../bytes/fnv1a.ts'

/**
 * A summary of a page: its first distinct terms without function words, in order, title first. It is small, because it
 * is read for every candidate of a ranking.
 *
 * A term is represented by a hash of 16 bits. In about one case in a thousand, two terms of a page have the same hash.
 * The error is the same in every answer, because a vector depends only on its capture.
 */
export interface TermVector {
  /** {@link termHash} of each term. */
  hashes: Uint16Array
  /**
   * The weighted frequency of each term, at most 255. An occurrence in the title has the same weight as in the ranking.
   */
  frequencies: Uint8Array
}

/** Maximum number of terms of a vector. Later terms say little about the page. */
export const VECTOR_TERMS = 128
/** Number of different hashes. */
export const TERM_HASHES = 2 ** 16

/** Returns the FNV-1a hash of a term's UTF-8 bytes, folded to 16 bits. It must not change, because it is stored. */
export function termHash(bytes: Uint8Array, start: number, end: number): number {
  const hash = fnv1a(bytes, start, end)
  return (hash >>> 16) ^ (hash & 0xffff)
}

/**
 * Writes a vector: number of terms (varint), hashes (little-endian), a bitmap, and the frequencies above 1. A term's
 * bit is set if its frequency is above 1, which is rare.
 */
export function writeTermVector({ hashes, frequencies }: TermVector, out: ByteWriter): void {
  const count = hashes.length
  out.varint(count)
  out.reserve(2 * count + bitmapBytes(count) + count)
  for (const hash of hashes) {
    out.u8(hash & 255)
    out.u8(hash >>> 8)
  }
  const bitmap = out.length
  out.bytes.fill(0, bitmap, bitmap + bitmapBytes(count))
  out.length += bitmapBytes(count)
  for (let i = 0; i < count; i++) {
    if (frequencies[i] === 1) continue
    out.bytes[bitmap + (i >>> 3)]! |= 1 << (i & 7)
    out.u8(frequencies[i]!)
  }
}

/**
 * Size of the arrays that many vectors share, in terms. Allocating arrays for each vector would take longer than
 * filling them.
 */
const ROOM = 128 * VECTOR_TERMS
let room: TermVector = { hashes: new Uint16Array(0), frequencies: new Uint8Array(0) }
let taken = 0

/**
 * Returns zeroed arrays for a vector of `count` terms. They are parts of the shared arrays that no other vector uses.
 */
function roomFor(count: number): TermVector {
  if (taken + count > room.hashes.length) {
    const size = Math.max(ROOM, count)
    room = { hashes: new Uint16Array(size), frequencies: new Uint8Array(size) }
    taken = 0
  }
  const from = taken
  taken += count
  return { hashes: room.hashes.subarray(from, taken), frequencies: room.frequencies.subarray(from, taken) }
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function readTermVector(reader: ByteReader): TermVector {
  const count = reader.varint()
  const { bytes, at } = reader
  reader.skip(2 * count)
  const bitmapAt = reader.at
  reader.skip(bitmapBytes(count))
  const vector = roomFor(count)
  const { hashes, frequencies } = vector
  for (let i = 0; i < count; i++) hashes[i] = bytes[at + 2 * i]! | (bytes[at + 2 * i + 1]! << 8)
  for (let i = 0; i < count; i++) frequencies[i] = (bytes[bitmapAt + (i >>> 3)]! >>> (i & 7)) & 1 ? reader.u8() : 1
  return vector
}

function bitmapBytes(count: number): number {
  return (count + 7) >>> 3
}
