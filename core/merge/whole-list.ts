import { padToWords } from '../bytes/alignment.ts'
import { BLOCK, unpack } from '../bytes/bit-packing.ts'
import { VarintCursor } from '../bytes/varint-cursor.ts'
import { AsofError } from '../errors.ts'
import { isLengthWidth, readLengths } from '../segment/positions/escaped-lengths.ts'
import { positionsHeaderBytes, signaturesAt } from '../segment/positions/positions-codec.ts'
import { copy } from '../segment/streams.ts'

/** Decoders of whole posting lists for merges, without an object per list. `core/segment/postings` describes the layouts. */

const block = new Uint32Array(BLOCK)
const varints = new VarintCursor(new Uint8Array(0))

/**
 * Decodes all `count` postings of an encoded list into `ordinals` and `frequencies`, from index `at` on.
 *
 * @param bytes - with full blocks they start at an address divisible by 4.
 * @throws ASOF_STORE_CORRUPT - the encoded list is longer than its bytes.
 */
export function decodeAllPostings(
  bytes: Uint8Array,
  count: number,
  ordinals: Uint32Array,
  frequencies: Uint32Array,
  at: number,
): void {
  const full = Math.floor(count / BLOCK)
  const gapWidthsAt = full > 0 ? full * 4 + padToWords(Math.ceil(count / BLOCK)) : 1
  const frequencyWidthsAt = gapWidthsAt + padToWords(full)
  let read = frequencyWidthsAt + padToWords(full)
  let previous = -1
  let to = at
  if (full > 0) {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2)
    for (let b = 0; b < full; b++) {
      const gapWidth = bytes[gapWidthsAt + b]!
      const frequencyWidth = bytes[frequencyWidthsAt + b]!
      if (gapWidth > 32 || frequencyWidth > 32 || read + 16 * (gapWidth + frequencyWidth) > bytes.length)
        throw corrupt()
      unpack(words, read / 4, gapWidth, block)
      for (let i = 0; i < BLOCK; i++) {
        previous += block[i]! + 1
        ordinals[to + i] = previous
      }
      unpack(words, read / 4 + 4 * gapWidth, frequencyWidth, block)
      for (let i = 0; i < BLOCK; i++) frequencies[to + i] = block[i]! + 1
      read += 16 * (gapWidth + frequencyWidth)
      to += BLOCK
    }
  }
  varints.bytes = bytes
  varints.at = read
  for (const end = at + count; to < end; to++) {
    const code = varints.next()
    previous += Math.floor(code / 2) + 1
    ordinals[to] = previous
    frequencies[to] = code % 2 === 0 ? 1 : varints.next() + 2
  }
  if (varints.at > bytes.length) throw corrupt()
}

/**
 * Decodes the positions of all `count` postings: their lengths into `positionLengths` from index `at` on, their bytes into
 * `positions` from `positionsAt` on, where there must be room for `bytes.length` bytes. Returns the end of the bytes written.
 *
 * @param bytes - starts at an address divisible by 4.
 * @throws ASOF_STORE_CORRUPT - the encoded positions are longer than their bytes.
 */
export function decodeAllPositions(
  bytes: Uint8Array,
  count: number,
  positionLengths: Uint32Array,
  at: number,
  positions: Uint8Array,
  positionsAt: number,
): number {
  const full = Math.floor(count / BLOCK)
  const signatures = signaturesAt(full)
  let read = positionsHeaderBytes(count)
  let to = at
  let written = positionsAt
  if (full > 0) {
    for (let b = 0; b < full; b++) {
      const width = bytes[full * 4 + b]!
      if (!isLengthWidth(width) || read + 16 * width > bytes.length) throw corrupt()
      let from = readLengths(bytes, read, width, block)
      let size = 0
      for (let i = 0; i < BLOCK; i++) size += block[i]!
      if (from + size > bytes.length) throw corrupt()
      for (let i = 0; i < BLOCK; i++, to++) {
        const length = block[i]!
        positionLengths[to] = length > 0 ? length + 1 : 0
        if (length === 0) continue
        positions[written++] = bytes[signatures + to - at]!
        for (const end = from + length; from < end; ) positions[written++] = bytes[from++]!
      }
      read = padToWords(from)
    }
  }
  varints.bytes = bytes
  varints.at = read
  for (const end = at + count; to < end; to++) {
    const size = varints.next()
    const from = varints.at
    if (from + size > bytes.length) throw corrupt()
    positionLengths[to] = size > 0 ? size + 1 : 0
    if (size === 0) continue
    positions[written++] = bytes[signatures + to - at]!
    copy(bytes, from, from + size, positions, written)
    written += size
    varints.at = from + size
  }
  if (varints.at > bytes.length) throw corrupt()
  return written
}

function corrupt(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'a posting list is longer than its bytes')
}
