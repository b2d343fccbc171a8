import { AsofError } from '@asof/extract/errors'
import type { ByteWriter } from '../../bytes/byte-buffer.ts'
import { VarintCursor } from '../../bytes/varint-cursor.ts'
import { PostingsAccumulator } from '../postings/postings-accumulator.ts'
import type { TermPostings } from '../postings/postings-codec.ts'
import { copy } from '../streams.ts'

/**
 * Writes the few postings of a rare term into its dictionary entry. By far most of them are single: they have frequency 1 and one
 * position.
 *   single: varint 2·(gap − 1), signature, position
 *   other:  varint 2·(gap − 1) + 1, varint frequency − 1, varint number of the following bytes, signature, positions
 */
export function writeInline(postings: TermPostings, out: ByteWriter): void {
  const { count, ordinals, frequencies, positionLengths, positions } = postings
  let previous = -1
  let at = 0
  for (let i = 0; i < count; i++) {
    const length = positionLengths[i]!
    const single = frequencies[i] === 1 && isOneVarint(positions, at + 1, at + length)
    out.varint((ordinals[i]! - previous - 1) * 2 + (single ? 0 : 1))
    if (!single) {
      out.varint(frequencies[i]! - 1)
      out.varint(length)
    }
    out.reserve(length)
    copy(positions, at, at + length, out.bytes, out.length)
    out.length += length
    previous = ordinals[i]!
    at += length
  }
}

function isOneVarint(bytes: Uint8Array, from: number, to: number): boolean {
  if (from >= to || bytes[to - 1]! > 127) return false
  for (let at = from; at < to - 1; at++) if (bytes[at]! < 128) return false
  return true
}

const posting = { gap: 0, frequency: 0, bytesAt: 0 }

/** Reads the next posting into {@link posting}. The cursor is then at the end of the posting, which may be past the end of the chunk. */
function readPosting(varints: VarintCursor): void {
  const code = varints.next()
  posting.gap = Math.floor(code / 2) + 1
  posting.frequency = 1
  if (code % 2 === 0) {
    posting.bytesAt = varints.at++
    varints.next()
    return
  }
  posting.frequency = varints.next() + 1
  const length = varints.next()
  posting.bytesAt = varints.at
  varints.at += length
}

/** Moves past `count` postings; the cursor may then be past the end of the chunk. */
export function skipInline(count: number, varints: VarintCursor): void {
  for (let i = 0; i < count; i++) readPosting(varints)
}

const varints = new VarintCursor(new Uint8Array(0))

/**
 * Appends `count` postings that {@link writeInline} wrote at `from` of a chunk. There must be room for them.
 *
 * @throws ASOF_STORE_CORRUPT - the chunk ends within them.
 */
export function appendInline(count: number, chunk: Uint8Array, from: number, into: PostingsAccumulator): void {
  varints.bytes = chunk
  varints.at = from
  let ordinal = -1
  for (let i = 0; i < count; i++) {
    readPosting(varints)
    if (varints.at > chunk.length) throw endsEarly()
    ordinal += posting.gap
    into.ordinals[into.count] = ordinal
    into.frequencies[into.count] = posting.frequency
    into.positionLengths[into.count++] = varints.at - posting.bytesAt
    copy(chunk, posting.bytesAt, varints.at, into.positions, into.positionBytes)
    into.positionBytes += varints.at - posting.bytesAt
  }
}

/**
 * Reads only the ordinals of `count` postings that {@link writeInline} wrote at `from` of a chunk. Writes them to `out`, from index `at` on.
 *
 * @throws ASOF_STORE_CORRUPT - the chunk ends within them.
 */
export function readInlineOrdinals(count: number, chunk: Uint8Array, from: number, out: Uint32Array, at: number): void {
  varints.bytes = chunk
  varints.at = from
  let ordinal = -1
  for (let i = 0; i < count; i++) {
    readPosting(varints)
    ordinal += posting.gap
    out[at + i] = ordinal
  }
  if (varints.at > chunk.length) throw endsEarly()
}

function endsEarly(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'a term dictionary ends within the postings of a term')
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
