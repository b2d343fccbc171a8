import { AsofError } from '@asof/extract/errors'
import type { ByteWriter } from '../../bytes/byte-buffer.ts'
import { VarintCursor } from '../../bytes/varint-cursor.ts'
import { ENDING_BITS } from '../../text/languages/english-endings.ts'
import { cheapestWidth } from './cheapest-width.ts'

/**
 * A run of integers below 2^32 − 1, most of which are of similar size. Each can be read without the others. Layout:
 *
 *   width w     u8, 1 to 24
 *   integers    n × w bits, the first one in the lowest bits of the first byte
 *   exceptions  an integer of at least 2^w − 1 is packed as 2^w − 1. For each of them follow two varints: the number of integers since
 *               the exception before, and the integer minus (2^w − 1)
 *
 * If the lower {@link ZERO_BITS} bits of all integers are 0, they are not stored, and {@link WITHOUT_ZEROS} is added to the width.
 * An empty run has no bytes. The number of integers is not stored.
 */
export const MAX_RUN_BITS = 24
/** Number of lower bits that are 0 in the gaps between places with the ending 0. Most runs of frequent words have only such gaps. */
export const ZERO_BITS: number = ENDING_BITS
export const WITHOUT_ZEROS = 128

/** Estimates the bytes of exceptions: one for the distance of each, and one for its rest, or two if the width is at least 8. */
const exceptionBytes = (width: number, exceptions: number): number => exceptions * (width < 8 ? 2 : 3)

/** Appends the first `count` of the integers. May change the array. */
export function writeRun(values: Uint32Array, count: number, out: ByteWriter): void {
  if (count === 0) return
  const zeros = zeroBits(values, count)
  if (zeros > 0) for (let i = 0; i < count; i++) values[i]! >>>= zeros
  const width = cheapestWidth(values, count, MAX_RUN_BITS, exceptionBytes)
  const top = 2 ** width - 1
  out.reserve(1 + Math.ceil((count * width) / 8))
  const { bytes } = out
  let { length } = out
  bytes[length++] = zeros > 0 ? width + WITHOUT_ZEROS : width
  let word = 0
  let filled = 0
  for (let i = 0; i < count; i++) {
    word |= Math.min(values[i]!, top) << filled
    for (filled += width; filled >= 8; filled -= 8) {
      bytes[length++] = word
      word >>>= 8
    }
  }
  if (filled > 0) bytes[length++] = word
  out.length = length
  let before = -1
  for (let i = 0; i < count; i++) {
    if (values[i]! < top) continue
    out.varint(i - before - 1)
    out.varint(values[i]! - top)
    before = i
  }
}

function zeroBits(values: Uint32Array, count: number): number {
  let all = 0
  for (let i = 0; i < count; i++) all |= values[i]!
  return all % 2 ** ZERO_BITS === 0 ? ZERO_BITS : 0
}

/** Reads the integers of runs that {@link writeRun} wrote. */
export class RunReader {
  readonly #exceptions = new VarintCursor(new Uint8Array(0))
  #bytes: Uint8Array = new Uint8Array(0)
  #width = 1
  #top = 1
  #zeros = 0
  #from = 0
  #exceptionsAt = 0
  /** The index of the exception that was read last, and its rest. */
  #exception = -1
  #rest = 0

  /**
   * Opens the run at offset `at`.
   *
   * @throws ASOF_STORE_CORRUPT - `count` integers do not fit the bytes.
   */
  open(bytes: Uint8Array, at: number, count: number): void {
    if (count === 0) return
    const code = bytes[at] ?? 0
    const width = code % WITHOUT_ZEROS
    this.#exceptionsAt = at + 1 + Math.ceil((count * width) / 8)
    if (width === 0 || width > MAX_RUN_BITS || this.#exceptionsAt > bytes.length) throw corrupt()
    this.#bytes = bytes
    this.#width = width
    this.#top = 2 ** width - 1
    this.#zeros = code < WITHOUT_ZEROS ? 0 : ZERO_BITS
    this.#from = at + 1
    this.#exceptions.bytes = bytes
    this.#rewind()
  }

  /**
   * Reads the integers from index `from` to `to` into `out`, from its index 0 on. `to` is at most the `count` given to {@link open}.
   *
   * @throws ASOF_STORE_CORRUPT - an exception is missing.
   */
  read(from: number, to: number, out: Uint32Array): void {
    const bytes = this.#bytes
    const width = this.#width
    const top = this.#top
    const start = this.#from
    const zeros = this.#zeros
    for (let index = from, bit = from * width; index < to; index++, bit += width) {
      const at = start + (bit >>> 3)
      const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
      const value = (word >>> (bit & 7)) & top
      out[index - from] = (value < top ? value : value + this.#exceptionAt(index)) << zeros
    }
  }

  #exceptionAt(index: number): number {
    const exceptions = this.#exceptions
    if (index < this.#exception) this.#rewind()
    while (this.#exception < index) {
      this.#exception += exceptions.next() + 1
      this.#rest = exceptions.next()
    }
    if (this.#exception !== index || exceptions.at > exceptions.bytes.length) throw corrupt()
    return this.#rest
  }

  #rewind(): void {
    this.#exceptions.at = this.#exceptionsAt
    this.#exception = -1
  }
}

function corrupt(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'a run of packed integers does not fit its bytes')
}
