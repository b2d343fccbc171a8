import { ByteReader, type ByteWriter } from '../../bytes/byte-buffer.ts'
import { PostingsAccumulator } from '../postings/postings-accumulator.ts'
import type { TermPostings } from '../postings/postings-codec.ts'
import { copy } from '../streams.ts'

/** Writes the few postings of a rare term into its dictionary entry. */
export function writeInline(postings: TermPostings, out: ByteWriter): void {
  let previous = -1
  let at = 0
  for (let i = 0; i < postings.count; i++) {
    const ordinal = postings.ordinals[i]!
    const length = postings.positionLengths[i]!
    out.varint(ordinal - previous - 1)
    out.varint(postings.frequencies[i]! - 1)
    out.varint(length)
    out.reserve(length)
    copy(postings.positions, at, at + length, out.bytes, out.length)
    out.length += length
    previous = ordinal
    at += length
  }
}

/**
 * Appends `count` postings that {@link writeInline} wrote at `from` of a chunk. There must be room for them.
 *
 * @throws ASOF_STORE_CORRUPT - the chunk ends within them.
 */
export function appendInline(count: number, chunk: Uint8Array, from: number, into: PostingsAccumulator): void {
  const reader = new ByteReader(chunk, from)
  let ordinal = -1
  for (let i = 0; i < count; i++) {
    ordinal += reader.varint() + 1
    into.ordinals[into.count] = ordinal
    into.frequencies[into.count] = reader.varint() + 1
    const length = reader.varint()
    into.positionLengths[into.count++] = length
    reader.skip(length)
    copy(chunk, reader.at - length, reader.at, into.positions, into.positionBytes)
    into.positionBytes += length
  }
}

/**
 * Reads the ordinals alone of `count` postings that {@link writeInline} wrote at `from` of a chunk, into `out` at `at`.
 *
 * @throws ASOF_STORE_CORRUPT - the chunk ends within them.
 */
export function readInlineOrdinals(count: number, chunk: Uint8Array, from: number, out: Uint32Array, at: number): void {
  const reader = new ByteReader(chunk, from)
  let ordinal = -1
  for (let i = 0; i < count; i++) {
    ordinal += reader.varint() + 1
    out[at + i] = ordinal
    reader.varint()
    reader.skip(reader.varint())
  }
}

const scratch = new PostingsAccumulator()

/**
 * Reads `count` postings that {@link writeInline} wrote at `from` of a chunk.
 *
 * @throws ASOF_STORE_CORRUPT - the chunk ends within them.
 */
export function readInline(count: number, chunk: Uint8Array, from: number): TermPostings {
  scratch.begin(count, chunk.length - from)
  appendInline(count, chunk, from, scratch)
  // Copies of exactly this size: views would keep the whole chunk in memory for as long as the list is cached.
  return {
    count,
    ordinals: scratch.ordinals.slice(0, count),
    frequencies: scratch.frequencies.slice(0, count),
    positionLengths: scratch.positionLengths.slice(0, count),
    positions: scratch.positions.slice(0, scratch.positionBytes),
  }
}
