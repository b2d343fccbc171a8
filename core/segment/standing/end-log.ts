import { upperBound } from '../../bytes/binary-search.ts'

/** Number of entries per entry of the running sums. */
const SUM_EVERY = 16

/**
 * What has changed, since a segment was written, in which of its captures stand at which instants: a capture ended, an end that it had is void,
 * or the capture was deleted, which voids its beginning and its end. Each entry says that from an instant on one capture less stands, or one
 * more. The entries are in the order of their instants.
 */
export class EndLog {
  readonly #lengths: Uint32Array
  #ordinals = new Uint32Array(16)
  #at = new Float64Array(16)
  #signs = new Int8Array(16)
  #size = 0
  /** Number of entries at the front that are in order and summed up. */
  #settled = 0
  #order = 0
  /** The sums of the first n · {@link SUM_EVERY} entries, for each n. */
  #captureSums: number[] = [0]
  #lengthSums: number[] = [0]

  /** @param lengths - the lengths of the captures of the segment, by ordinal. */
  constructor(lengths: Uint32Array) {
    this.#lengths = lengths
  }

  /** Number of entries. */
  get size(): number {
    return this.#size
  }

  /** Changes when entries get other places. As long as it is the same, entries were only appended. */
  get order(): number {
    this.#settle()
    return this.#order
  }

  /** Adds that from `at` on one capture more (`sign` 1) or less (−1) stands. @param at - epoch ms. */
  add(ordinal: number, at: number, sign: 1 | -1): void {
    if (this.#size === this.#ordinals.length) this.#grow()
    this.#ordinals[this.#size] = ordinal
    this.#at[this.#size] = at
    this.#signs[this.#size++] = sign
  }

  /** The instant of the last entry, epoch ms. −∞ if the log is empty. */
  get last(): number {
    this.#settle()
    return this.#size > 0 ? this.#at[this.#size - 1]! : Number.NEGATIVE_INFINITY
  }

  /** Returns the number of entries at or before an instant. */
  upTo(instant: number): number {
    return instant >= this.last ? this.#size : upperBound(this.#at, this.#size, instant)
  }

  ordinal(entry: number): number {
    return this.#ordinals[entry]!
  }

  sign(entry: number): number {
    return this.#signs[entry]!
  }

  /** Returns how many captures more stand by the first `count` entries, and the sum of their lengths. */
  sums(count: number): { captures: number; length: number } {
    this.#settle()
    const from = Math.floor(count / SUM_EVERY)
    let captures = this.#captureSums[from]!
    let length = this.#lengthSums[from]!
    for (let i = from * SUM_EVERY; i < count; i++) {
      captures += this.#signs[i]!
      length += this.#signs[i]! * this.#lengths[this.#ordinals[i]!]!
    }
    return { captures, length }
  }

  /** Puts the entries that were added in order, and sums them up. */
  #settle(): void {
    if (this.#settled === this.#size) return
    const from = this.#merge()
    const summed = Math.floor(from / SUM_EVERY)
    let captures = this.#captureSums[summed]!
    let length = this.#lengthSums[summed]!
    for (let i = summed * SUM_EVERY; i < this.#size; i++) {
      captures += this.#signs[i]!
      length += this.#signs[i]! * this.#lengths[this.#ordinals[i]!]!
      if ((i + 1) % SUM_EVERY !== 0) continue
      this.#captureSums[(i + 1) / SUM_EVERY] = captures
      this.#lengthSums[(i + 1) / SUM_EVERY] = length
    }
    this.#settled = this.#size
  }

  /** Merges the entries that were added into the ones in order. Returns the first entry with another place than before; new ones at the end have none before. */
  #merge(): number {
    const settled = this.#settled
    const size = this.#size - settled
    const at = this.#at.slice(settled, this.#size)
    const places = Uint32Array.from(at.keys())
    if (!ascends(at)) places.sort((a, b) => at[a]! - at[b]! || a - b)
    const isAppended = settled === 0 || this.#at[settled - 1]! <= at[places[0]!]!
    if (isAppended && ascends(at)) return settled
    const ordinals = this.#ordinals.slice(settled, this.#size)
    const signs = this.#signs.slice(settled, this.#size)
    let before = settled - 1
    for (let to = this.#size - 1, i = size - 1; i >= 0; to--) {
      const place = places[i]!
      const isLater = before >= 0 && this.#at[before]! > at[place]!
      this.#ordinals[to] = isLater ? this.#ordinals[before]! : ordinals[place]!
      this.#signs[to] = isLater ? this.#signs[before]! : signs[place]!
      this.#at[to] = isLater ? this.#at[before]! : at[place]!
      if (isLater) before--
      else i--
    }
    if (!isAppended) this.#order++
    return before + 1
  }

  #grow(): void {
    const size = 2 * this.#size
    const ordinals = new Uint32Array(size)
    const at = new Float64Array(size)
    const signs = new Int8Array(size)
    ordinals.set(this.#ordinals)
    at.set(this.#at)
    signs.set(this.#signs)
    this.#ordinals = ordinals
    this.#at = at
    this.#signs = signs
  }
}

function ascends(values: Float64Array): boolean {
  for (let i = 1; i < values.length; i++) if (values[i]! < values[i - 1]!) return false
  return true
}
