import { AsofError } from '@asof/extract/errors'
import { ByteReader, type ByteWriter } from '../../bytes/byte-buffer.ts'
import { popCount } from '../../bytes/pop-count.ts'

/**
 * The ends of the captures of a posting list, as they were when the segment was written.
 *
 * At each instant, captures with the term arrive and captures with the term end. As many arrivals as possible **replace** an end: they do
 * not change the number of captures that stand. An end that nothing replaces is a **loss**. Its **place** is the number of captures of the
 * segment that ended up to its instant, less 1. So of the first k postings, all those acquired up to an instant, the number that had ended
 * by then is: arrivals among them that replace an end, plus losses with a place below the number of ends up to the instant.
 *
 * Layout:
 *   varint 2 · losses + (1 if there are bits) · u8 w if there are losses · padding to 4 bytes;
 *   then one array of bits, in little-endian words of 32 bits, the lowest bit first:
 *   if there are bits, one for each posting: 1 if it replaces an end;
 *   the ascending places of the losses in the code of Elias and Fano (Elias, Journal of the ACM 1974). For each loss, as many zeros as
 *   place >> w is higher than that of the loss before, and a one;
 *   for each loss, the w low bits of its place.
 *
 * Without bits, every end is a loss. That takes fewer bits if few captures have ended.
 */
export class StandingList {
  readonly #words: Uint32Array
  /** Where the places begin in the array of bits: the number of postings if there are bits, else 0. */
  readonly #highsAt: number
  readonly #lowsAt: number
  readonly #lowWidth: number
  readonly #losses: number
  /** The number of ones before each 128th bit up to {@link #lowsAt}. */
  readonly #ranks: Uint32Array
  /** The number of ones before {@link #highsAt}. */
  readonly #replacing: number

  private constructor(words: Uint32Array, bits: number, losses: number, lowWidth: number) {
    this.#words = words
    this.#highsAt = bits
    this.#losses = losses
    this.#lowWidth = lowWidth
    if (words.length < Math.ceil(bits / 32)) throw corrupt()
    this.#replacing = onesBefore(words, bits)
    // The places end with the one of the last loss.
    const lowsAt = losses === 0 ? bits : afterOne(words, this.#replacing + losses)
    if (words.length !== Math.ceil((lowsAt + losses * lowWidth) / 32)) throw corrupt()
    this.#lowsAt = lowsAt
    this.#ranks = new Uint32Array(Math.floor(lowsAt / RANK_EVERY) + 1)
    for (let i = 1; i < this.#ranks.length; i++)
      this.#ranks[i] = this.#ranks[i - 1]! + onesOfWords(words, (i - 1) * RANK_WORDS, i * RANK_WORDS)
  }

  /**
   * @param bytes - kept by the list, which reads it as words. They are copied if they do not start at an address divisible by 4.
   * @param postings - number of postings of the term.
   * @param ended - number of its captures that had ended, as the dictionary has it.
   * @throws ASOF_STORE_CORRUPT - the bytes are not a standing list of these numbers.
   */
  static decode(bytes: Uint8Array, postings: number, ended: number): StandingList {
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
    const reader = new ByteReader(aligned)
    const head = reader.varint()
    const losses = Math.floor(head / 2)
    const lowWidth = losses > 0 ? reader.u8() : 0
    const start = Math.ceil(reader.at / 4) * 4
    if (losses > postings || lowWidth > MAX_LOW_WIDTH || start > bytes.length || bytes.length % 4 !== 0) throw corrupt()
    const words = new Uint32Array(aligned.buffer, aligned.byteOffset + start, (bytes.length - start) / 4)
    const list = new StandingList(words, head % 2 === 1 ? postings : 0, losses, lowWidth)
    if (list.#replacing + losses !== ended) throw corrupt()
    return list
  }

  /** Size in memory, bytes. */
  get byteLength(): number {
    return this.#words.byteLength + this.#ranks.byteLength
  }

  /**
   * Returns the number of captures that had ended by an instant.
   *
   * @param index - number of postings acquired up to the instant.
   * @param places - number of captures of the segment that ended up to the instant.
   */
  endedBelow(index: number, places: number): number {
    return (this.#highsAt > 0 ? this.#rank(index) : 0) + this.#lossesBelow(places)
  }

  /** Returns the number of ones before a bit. */
  #rank(bit: number): number {
    const block = Math.floor(bit / RANK_EVERY)
    const word = bit >>> 5
    const ones = this.#ranks[block]! + onesOfWords(this.#words, block * RANK_WORDS, word)
    return (bit & 31) === 0 ? ones : ones + popCount(this.#words[word]! & lowBits(bit & 31))
  }

  #lossesBelow(places: number): number {
    const losses = this.#losses
    if (losses === 0) return 0
    const width = this.#lowWidth
    const high = Math.floor(places / 2 ** width)
    const from = this.#highsFrom(high)
    if (from < 0) return losses
    // Before this bit there are a zero for each lower high part, and a one for each loss with a lower one.
    const before = from - this.#highsAt - high
    const low = places - high * 2 ** width
    if (low === 0) return before
    let first = before
    let end = before + this.#onesFrom(from, losses - before)
    while (first < end) {
      const middle = (first + end) >>> 1
      if (this.#low(middle) < low) first = middle + 1
      else end = middle
    }
    return first
  }

  /** Returns the bit at which the losses with a high part begin: after as many zeros. −1 if all losses have a lower one. */
  #highsFrom(high: number): number {
    const start = this.#highsAt
    const replacing = this.#replacing
    if (high === 0) return start
    if (high > this.#lowsAt - start - this.#losses) return -1
    const ranks = this.#ranks
    const words = this.#words
    // The last block with fewer zeros before it.
    let block = Math.floor(start / RANK_EVERY)
    for (let end = ranks.length; end - block > 1; ) {
      const middle = (block + end) >>> 1
      if (middle * RANK_EVERY - start - (ranks[middle]! - replacing) < high) block = middle
      else end = middle
    }
    const from = Math.max(start, block * RANK_EVERY)
    let left = from === start ? high : high - (from - start - (ranks[block]! - replacing))
    let word = from >>> 5
    for (let zeros = ~words[word]! & ~lowBits(from & 31); ; zeros = ~words[++word]!) {
      const count = popCount(zeros)
      if (count >= left) {
        while (--left > 0) zeros &= zeros - 1
        return word * 32 + trailingZeros(zeros) + 1
      }
      left -= count
    }
  }

  /** Returns the number of ones from a bit to the next zero, at most `most`. */
  #onesFrom(bit: number, most: number): number {
    let word = bit >>> 5
    let zeros = ~this.#words[word]! & ~lowBits(bit & 31)
    while (zeros === 0 && word * 32 - bit < most) zeros = ~this.#words[++word]!
    return zeros === 0 ? most : Math.min(most, word * 32 + trailingZeros(zeros) - bit)
  }

  /** Returns the low bits of the place of a loss. */
  #low(loss: number): number {
    const width = this.#lowWidth
    const bit = this.#lowsAt + loss * width
    const word = Math.floor(bit / 32)
    const shift = bit % 32
    const bits = this.#words[word]! >>> shift
    const more = shift + width > 32 ? this.#words[word + 1]! << (32 - shift) : 0
    return ((bits | more) & lowBits(width)) >>> 0
  }
}

/** Places have 32 bits, and the code of Elias and Fano leaves one of them in the high part. */
const MAX_LOW_WIDTH = 31
/** Number of bits per entry of the running numbers of ones. */
const RANK_EVERY = 128
const RANK_WORDS = RANK_EVERY / 32

/**
 * Returns the number of low bits with which ascending places take the fewest bits.
 *
 * @param losses - at least 1, and at most `limit`.
 * @param limit - all places are lower.
 */
export function lowWidthOf(losses: number, limit: number): number {
  const width = Math.clz32(losses) - Math.clz32(limit)
  return losses * 2 ** width > limit ? width - 1 : width
}

/** Returns an upper bound of the number of bits that the places of losses take. */
export function bitsOfLosses(losses: number, limit: number): number {
  if (losses === 0) return 0
  const width = lowWidthOf(losses, limit)
  return losses * (width + 1) + Math.floor((limit - 1) / 2 ** width)
}

/**
 * Appends a standing list.
 *
 * @param places - the places of the losses, ascending: the first `losses` of the array.
 * @param replacing - one bit for each posting: 1 if it replaces an end. Undefined if all ends are losses.
 */
export function encodeStandingList(
  postings: number,
  places: Uint32Array,
  losses: number,
  replacing: Uint32Array | undefined,
  out: ByteWriter,
): void {
  out.varint(2 * losses + (replacing ? 1 : 0))
  const last = losses > 0 ? places[losses - 1]! : 0
  const width = losses > 0 ? lowWidthOf(losses, last + 1) : 0
  if (losses > 0) out.u8(width)
  out.align(4)
  const highsAt = replacing ? postings : 0
  const lowsAt = highsAt + losses + (losses > 0 ? Math.floor(last / 2 ** width) : 0)
  const words = new Uint32Array(Math.ceil((lowsAt + losses * width) / 32))
  if (replacing) words.set(replacing.subarray(0, Math.ceil(postings / 32)))
  const unit = 2 ** width
  for (let i = 0; i < losses; i++) {
    const high = Math.floor(places[i]! / unit)
    const bit = highsAt + high + i
    words[bit >>> 5]! |= 1 << (bit & 31)
    const low = places[i]! - high * unit
    const at = lowsAt + i * width
    const word = Math.floor(at / 32)
    const shift = at % 32
    words[word]! |= low << shift
    if (shift + width > 32) words[word + 1]! |= low >>> (32 - shift)
  }
  out.raw(new Uint8Array(words.buffer))
}

/** Returns a word with the lowest `count` bits set, which are fewer than 32. */
function lowBits(count: number): number {
  return (1 << count) - 1
}

function trailingZeros(word: number): number {
  return 31 - Math.clz32(word & -word)
}

function onesOfWords(words: Uint32Array, from: number, to: number): number {
  let ones = 0
  for (let word = from; word < to; word++) ones += popCount(words[word]!)
  return ones
}

function onesBefore(words: Uint32Array, bit: number): number {
  const ones = onesOfWords(words, 0, bit >>> 5)
  return (bit & 31) === 0 ? ones : ones + popCount(words[bit >>> 5]! & lowBits(bit & 31))
}

/**
 * Returns the bit after the `count`-th one.
 *
 * @throws ASOF_STORE_CORRUPT - there are fewer.
 */
function afterOne(words: Uint32Array, count: number): number {
  let left = count
  for (const [word, value] of words.entries()) {
    const ones = popCount(value)
    if (ones >= left) {
      let bits = value
      while (--left > 0) bits &= bits - 1
      return word * 32 + trailingZeros(bits) + 1
    }
    left -= ones
  }
  throw corrupt()
}

function corrupt(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'a standing list is not that of its posting list')
}
