import { AsofError } from '@asof/extract/errors'
import { BLOCK } from '../../bytes/bit-packing.ts'
import type { ByteWriter } from '../../bytes/byte-buffer.ts'
import { lowBitsFor, readRice, writeRice } from '../../bytes/rice-coding.ts'
import { VarintCursor } from '../../bytes/varint-cursor.ts'

/**
 * The postings after the full blocks of a list, fewer than {@link BLOCK}:
 *
 *   u8           the lower 5 bits: number of low bits of the gaps; the upper 3 bits: number of postings with a frequency
 *                above 1, or 7 for 7 and more
 *   varint       only after a 7: the number of these postings, minus 7
 *   gaps − 1     see {@link writeRice}
 *   frequencies  for each posting with a frequency above 1: varint number of postings since the last such posting, varint
 *                frequency − 2
 */
const gaps = new Uint32Array(BLOCK)
const varints = new VarintCursor(new Uint8Array(0))
/** Parts of the first byte. */
const LOW_BITS_MASK = 31
const ESCAPED_COUNT = 7
/** The highest ordinal and frequency. */
const MAX_UINT32 = 0xffff_ffff

/** Appends the postings from index `from` to `to`. @param before - the ordinal before the tail; −1 if there is none. */
export function writeTail(
  { ordinals, frequencies }: { ordinals: Uint32Array; frequencies: Uint32Array },
  from: number,
  to: number,
  before: number,
  out: ByteWriter,
): void {
  const size = to - from
  let previous = before
  let frequent = 0
  for (let i = 0; i < size; i++) {
    gaps[i] = ordinals[from + i]! - previous - 1
    previous = ordinals[from + i]!
    if (frequencies[from + i]! > 1) frequent++
  }
  const lowBits = lowBitsFor((previous - before) / size)
  out.u8((Math.min(frequent, ESCAPED_COUNT) << 5) | lowBits)
  if (frequent >= ESCAPED_COUNT) out.varint(frequent - ESCAPED_COUNT)
  writeRice(gaps, size, lowBits, out)
  for (let i = 0, last = -1; i < size; i++) {
    const frequency = frequencies[from + i]!
    if (frequency === 1) continue
    out.varint(i - last - 1)
    out.varint(frequency - 2)
    last = i
  }
}

/** The tail to read, and the arrays that receive its postings. */
export interface TailPlace {
  /** Number of postings. */
  size: number
  /** The ordinal before the tail; −1 if there is none. */
  before: number
  /** Gets the ordinals from index `ordinalsAt` on. */
  ordinals: Uint32Array
  ordinalsAt: number
  /** Gets the frequencies from index `frequenciesAt` on. */
  frequencies: Uint32Array
  frequenciesAt: number
}

/**
 * Reads the postings of a tail at offset `at`; returns the offset after them.
 *
 * @throws ASOF_STORE_CORRUPT - the bytes end early, or have values that no posting can have.
 */
export function readTail(bytes: Uint8Array, at: number, to: TailPlace): number {
  const { size, before, ordinals, ordinalsAt, frequencies, frequenciesAt } = to
  varints.bytes = bytes
  varints.at = at + 1
  const head = bytes[at]!
  let frequent = head >>> 5
  if (frequent === ESCAPED_COUNT) frequent += varints.next()
  if (varints.at > bytes.length) throw corrupt()
  varints.at = readRice(bytes, varints.at, head & LOW_BITS_MASK, size, gaps)
  let ordinal = before
  for (let i = 0; i < size; i++) {
    ordinal += gaps[i]! + 1
    ordinals[ordinalsAt + i] = ordinal
    frequencies[frequenciesAt + i] = 1
  }
  let highest = ordinal
  for (let i = -1; frequent > 0; frequent--) {
    i += varints.next() + 1
    if (i >= size) throw corrupt()
    const frequency = varints.next() + 2
    frequencies[frequenciesAt + i] = frequency
    highest = Math.max(highest, frequency)
  }
  if (varints.at > bytes.length || highest > MAX_UINT32) throw corrupt()
  return varints.at
}

function corrupt(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'the tail of a posting list is impossible')
}
