import { AsofError } from '@asof/extract/errors'
import { padToWords } from '../bytes/alignment.ts'
import { BLOCK, unpack } from '../bytes/bit-packing.ts'
import { PositionBlock } from '../segment/positions/position-block.ts'
import { positionsHeaderBytes, signaturesAt } from '../segment/positions/positions-codec.ts'
import type { PostingsAccumulator } from '../segment/postings/postings-accumulator.ts'
import { readTail } from '../segment/postings/postings-tail.ts'

/** Buffers for decoding whole posting lists, shared by all lists. `core/segment/postings` describes the encoding. */

const block = new Uint32Array(BLOCK)
const positionBlock = new PositionBlock()
const noEnds = new Uint32Array(0)

/**
 * Decodes an encoded list of `count` postings into `ordinals` and `frequencies`, from index `at` on.
 *
 * @param bytes - if the list has full blocks, it must start at an address divisible by 4.
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
  const size = count % BLOCK
  if (size > 0)
    readTail(bytes, read, { size, before: previous, ordinals, ordinalsAt: to, frequencies, frequenciesAt: to })
}

/**
 * Decodes the positions of `count` postings and appends them to `into.positions`. Writes the number of bytes of each posting to
 * `into.positionLengths`, from index `at` on.
 *
 * @param bytes - if the list has full blocks, the positions must start at an address divisible by 4.
 * @throws ASOF_STORE_CORRUPT - the encoded positions are longer than their bytes.
 */
export function decodeAllPositions(bytes: Uint8Array, count: number, into: PostingsAccumulator, at: number): void {
  const full = Math.floor(count / BLOCK)
  const header = positionsHeaderBytes(count)
  if (header > bytes.length) throw corrupt()
  const signatures = signaturesAt(full)
  const ends = full > 0 ? new Uint32Array(bytes.buffer, bytes.byteOffset, full) : noEnds
  const { starts } = positionBlock
  for (let from = 0; from < count; from += BLOCK) {
    const b = from / BLOCK
    const read = header + (b === 0 ? 0 : ends[b - 1]!)
    if (read > bytes.length) throw corrupt()
    const size = Math.min(BLOCK, count - from)
    if (size === BLOCK) positionBlock.openFull(bytes, read, bytes[full * 4 + b]!)
    else positionBlock.openTail(bytes, read, size)
    into.reserve(0, size + MAX_VARINT_BYTES * starts[size]!)
    const all = positionBlock.allGaps(size)
    const { positions } = into
    let written = into.positionBytes
    for (let i = 0; i < size; i++) {
      const before = written
      if (starts[i] !== starts[i + 1]) positions[written++] = bytes[signatures + from + i]!
      for (let j = starts[i]!; j < starts[i + 1]!; j++) {
        let gap = all[j]!
        for (; gap > 127; gap >>>= 7) positions[written++] = (gap & 127) | 128
        positions[written++] = gap
      }
      into.positionLengths[at + from + i] = written - before
    }
    into.positionBytes = written
  }
}

/** Maximum size of a 32-bit varint. */
const MAX_VARINT_BYTES = 5

function corrupt(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'a posting list is longer than its bytes')
}
