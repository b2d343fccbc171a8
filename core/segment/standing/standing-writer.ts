import type { ByteWriter } from '../../bytes/byte-buffer.ts'
import { release } from '../../bytes/memory.ts'
import type { EndOrder } from './end-order.ts'
import { bitsOfLosses, encodeStandingList } from './standing-list.ts'

/** Marks a capture that had not ended, or an instant at which no capture was acquired. */
const NEVER = 0xffff_ffff

/** Writes the standing lists of the terms of a segment. */
export class StandingWriter {
  /** By ordinal, the place of the capture's end, see {@link StandingList}; {@link NEVER} if it had not ended. */
  readonly places: Uint32Array
  /** By ordinal, the first ordinal that was acquired at the instant of the capture's end; {@link NEVER} if none was. */
  readonly successors: Uint32Array
  /** By ordinal, the first ordinal that was acquired at the same instant. */
  readonly firsts: Uint32Array
  /** Number of captures that had ended. */
  readonly ends: number
  /** By first ordinal of an instant, the number of the term's captures that ended then and were not replaced. 0 between lists. */
  readonly #due: Uint32Array
  #losses = new Uint32Array(1024)
  #replacing = new Uint32Array(32)

  /** @param acquiredAt - of all captures of the segment, ascending. */
  constructor(acquiredAt: Float64Array, { ordinals, at, size }: EndOrder) {
    const captures = acquiredAt.length
    this.ends = size
    this.#due = new Uint32Array(captures)
    this.firsts = new Uint32Array(captures)
    for (let i = 1; i < captures; i++) this.firsts[i] = acquiredAt[i] === acquiredAt[i - 1] ? this.firsts[i - 1]! : i
    this.places = new Uint32Array(captures).fill(NEVER)
    this.successors = new Uint32Array(captures).fill(NEVER)
    let arrived = 0
    for (let from = 0, to = 0; from < size; from = to) {
      const instant = at[from]!
      while (to < size && at[to] === instant) to++
      while (arrived < captures && acquiredAt[arrived]! < instant) arrived++
      const successor = arrived < captures && acquiredAt[arrived] === instant ? arrived : NEVER
      for (let i = from; i < to; i++) {
        this.places[ordinals[i]!] = to - 1
        this.successors[ordinals[i]!] = successor
      }
    }
  }

  /**
   * Appends the standing list of a term, unless none of its captures had ended.
   *
   * @param ordinals - of the captures that hold the term, ascending: the first `count` of the array.
   * @returns the number of its captures that had ended.
   */
  write(ordinals: Uint32Array, count: number, out: ByteWriter): number {
    const ended = this.#countDue(ordinals, count)
    if (ended === 0) return 0
    if (count > this.#losses.length) {
      this.#losses = new Uint32Array(2 * count)
      this.#replacing = new Uint32Array(Math.ceil((2 * count) / 32))
    }
    const replaced = this.#replace(ordinals, count)
    const hasBits = count + bitsOfLosses(ended - replaced, this.ends) < bitsOfLosses(ended, this.ends)
    const losses = this.#collectLosses(ordinals, count, hasBits)
    sortAscending(this.#losses, losses)
    encodeStandingList(count, this.#losses, losses, hasBits ? this.#replacing : undefined, out)
    return ended
  }

  /** Frees the memory. Nothing can be written afterwards. */
  release(): void {
    for (const array of [this.places, this.successors, this.firsts, this.#due]) release(array)
  }

  /** Counts the ends that are due at each instant of arrival. Returns the number of all ends. */
  #countDue(ordinals: Uint32Array, count: number): number {
    const { places, successors } = this
    const due = this.#due
    let ended = 0
    for (let i = 0; i < count; i++) {
      const ordinal = ordinals[i]!
      if (places[ordinal] === NEVER) continue
      ended++
      const successor = successors[ordinal]!
      if (successor !== NEVER) due[successor]!++
    }
    return ended
  }

  /** Sets the bits of the arrivals that replace an end. Returns their number. */
  #replace(ordinals: Uint32Array, count: number): number {
    const { firsts } = this
    const due = this.#due
    const bits = this.#replacing
    bits.fill(0, 0, Math.ceil(count / 32))
    let replaced = 0
    for (let i = 0; i < count; i++) {
      const first = firsts[ordinals[i]!]!
      if (due[first] === 0) continue
      due[first]!--
      bits[i >>> 5]! |= 1 << (i & 31)
      replaced++
    }
    return replaced
  }

  /** Collects the places of the losses, which are all ends if there are no bits. Returns their number. */
  #collectLosses(ordinals: Uint32Array, count: number, hasBits: boolean): number {
    const { places, successors } = this
    const due = this.#due
    const losses = this.#losses
    let lost = 0
    for (let i = 0; i < count; i++) {
      const ordinal = ordinals[i]!
      const place = places[ordinal]!
      if (place === NEVER) continue
      const successor = successors[ordinal]!
      // Ends of one instant have one place, so it does not matter which of them were replaced.
      const isLost = !hasBits || successor === NEVER || due[successor]! > 0
      if (isLost) losses[lost++] = place
      if (successor === NEVER) continue
      if (!hasBits) due[successor] = 0
      else if (isLost) due[successor]!--
    }
    return lost
  }
}

/** From this number of values on, a radix sort takes less time. */
const RADIX_FROM = 300
const DIGIT_BITS = 11
const DIGITS = 2 ** DIGIT_BITS
const starts = new Uint32Array(DIGITS + 1)
let other = new Uint32Array(1024)

/** Sorts the first `size` of `values`. */
function sortAscending(values: Uint32Array, size: number): void {
  if (size < RADIX_FROM) {
    values.subarray(0, size).sort()
    return
  }
  if (size > other.length) other = new Uint32Array(2 * size)
  let all = 0
  for (let i = 0; i < size; i++) all |= values[i]!
  let from = values
  let to: Uint32Array = other
  for (let shift = 0; shift < 32 && all >>> shift > 0; shift += DIGIT_BITS) {
    starts.fill(0)
    for (let i = 0; i < size; i++) starts[((from[i]! >>> shift) & (DIGITS - 1)) + 1]!++
    for (let digit = 0; digit < DIGITS; digit++) starts[digit + 1]! += starts[digit]!
    for (let i = 0; i < size; i++) to[starts[(from[i]! >>> shift) & (DIGITS - 1)]!++] = from[i]!
    ;[from, to] = [to, from]
  }
  if (from !== values) values.set(from.subarray(0, size))
}
