import type { ByteReader, ByteWriter } from '../segment/byte-buffer.ts'

/**
 * What a page is about, small enough to be read for every candidate of a ranking: the first of its distinct terms but
 * function words, in the order in which they appear, title first.
 *
 * Terms are told by 16 bits of their hash. Two terms of one page that share a hash are a slip of about one in a
 * thousand, and the same slip for ever: the vector is made of the capture alone.
 */
export interface TermVector {
  /** {@link termHash} of each term. */
  hashes: Uint16Array
  /** How often each stands in the page, an occurrence in the title counting as the ranking model has it; at most 255. */
  frequencies: Uint8Array
}

/** Terms that a vector has at most: what comes behind them tells little more of what a page is about. */
export const VECTOR_TERMS = 128
/** Hashes lie below this. */
export const TERM_HASHES = 2 ** 16

/** FNV-1a of a term's UTF-8 bytes, folded to 16 bits. Part of the format. */
export function termHash(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193)
  return (hash >>> 16) ^ (hash & 0xffff)
}

/** A vector: varint terms, their hashes, little-endian, and then their frequencies, most of which are 1. */
export function writeTermVector({ hashes, frequencies }: TermVector, out: ByteWriter): void {
  out.varint(hashes.length)
  for (const hash of hashes) {
    out.u8(hash & 255)
    out.u8(hash >>> 8)
  }
  out.raw(frequencies)
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function readTermVector(reader: ByteReader): TermVector {
  const count = reader.varint()
  const bytes = reader.raw(2 * count)
  const hashes = new Uint16Array(count)
  for (let i = 0; i < count; i++) hashes[i] = bytes[2 * i] | (bytes[2 * i + 1] << 8)
  return { hashes, frequencies: reader.raw(count) }
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function skipTermVector(reader: ByteReader): void {
  reader.skip(3 * reader.varint())
}
