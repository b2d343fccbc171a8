import { randomInt } from 'node:crypto'

/** A random seed of the process, so that no page can know which terms collide. */
const SEED = randomInt(2 ** 31)
/** Initial number of slots. The number of slots is always a power of two. */
const FIRST_SLOTS = 1 << 12
/** Share of used slots above which the table doubles. */
const MAX_USED = 0.5
/** Length of the longest term that is remembered, UTF-16 units. Words are not longer; other terms could fill the memory. */
const LONGEST = 64
/** Maximum number of slots that are probed for a term. */
const MAX_PROBES = 32

/**
 * A hash table of terms, each with an instant. It may forget a term, but never returns a wrong instant. A lookup reads from two places of
 * memory; a lookup in a `Map` reads from five, and the processor waits for each of them.
 */
export class KnownTerms {
  /** Number of terms. */
  size = 0
  /** Each slot has 16 bytes: the hash of its term, the index of the term in {@link #units} (0: no term), and the instant. */
  #slots = new Int32Array(4 * FIRST_SLOTS)
  #instants = new Float64Array(this.#slots.buffer)
  /** For each term the number of its UTF-16 units, followed by the units. */
  #units = new Uint16Array(16 * FIRST_SLOTS)
  #unitsUsed = 1

  /** Returns the instant of a term; `Infinity` if the term is not known. */
  get(term: string): number {
    const slot = this.#slotOf(term, hashOf(term))
    return slot >= 0 && this.#slots[4 * slot + 1]! > 0 ? this.#instants[2 * slot + 1]! : Number.POSITIVE_INFINITY
  }

  set(term: string, instant: number): void {
    if (term.length > LONGEST) return
    const hash = hashOf(term)
    const slot = this.#slotOf(term, hash)
    if (slot < 0) return
    this.#instants[2 * slot + 1] = instant
    if (this.#slots[4 * slot + 1]! > 0) return
    this.#slots[4 * slot] = hash
    this.#slots[4 * slot + 1] = this.#keep(term)
    if (++this.size * 4 > MAX_USED * this.#slots.length) this.#grow()
  }

  /** Returns the slot of a term, or the free slot where it belongs; −1 if all probed slots have other terms. */
  #slotOf(term: string, hash: number): number {
    const slots = this.#slots
    const mask = slots.length / 4 - 1
    for (let slot = hash & mask, probes = 0; probes < MAX_PROBES; slot = (slot + 1) & mask, probes++) {
      const start = slots[4 * slot + 1]!
      if (start === 0 || (slots[4 * slot] === hash && this.#isAt(term, start))) return slot
    }
    return -1
  }

  #isAt(term: string, start: number): boolean {
    const units = this.#units
    if (units[start] !== term.length) return false
    for (let i = 0; i < term.length; i++) if (units[start + 1 + i] !== term.charCodeAt(i)) return false
    return true
  }

  #keep(term: string): number {
    const start = this.#unitsUsed
    const end = start + 1 + term.length
    if (end > this.#units.length) {
      const larger = new Uint16Array(2 * Math.max(end, this.#units.length))
      larger.set(this.#units)
      this.#units = larger
    }
    this.#units[start] = term.length
    for (let i = 0; i < term.length; i++) this.#units[start + 1 + i] = term.charCodeAt(i)
    this.#unitsUsed = end
    return start
  }

  #grow(): void {
    const [old, instants] = [this.#slots, this.#instants]
    this.#slots = new Int32Array(2 * old.length)
    this.#instants = new Float64Array(this.#slots.buffer)
    const mask = this.#slots.length / 4 - 1
    for (let from = 0; from < old.length / 4; from++) {
      if (old[4 * from + 1] === 0) continue
      let slot = old[4 * from]! & mask
      for (let probes = 1; this.#slots[4 * slot + 1] !== 0 && probes < MAX_PROBES; probes++) slot = (slot + 1) & mask
      if (this.#slots[4 * slot + 1] !== 0) {
        this.size--
        continue
      }
      this.#slots[4 * slot] = old[4 * from]!
      this.#slots[4 * slot + 1] = old[4 * from + 1]!
      this.#instants[2 * slot + 1] = instants[2 * from + 1]!
    }
  }
}

function hashOf(term: string): number {
  let hash = SEED
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x5bd1e995) ^ (hash >>> 15)
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39)
  return hash ^ (hash >>> 16)
}
