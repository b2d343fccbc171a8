import { randomInt } from 'node:crypto'
import { foldWord } from '../characters/fold.ts'
import { porter2 } from '../languages/porter2.ts'

/** Terms are cut to this many UTF-16 units, so that no page can make a huge one. */
export const MAX_TERM_UNITS = 64

/**
 * Words known at a time; with more the table starts anew at the next text. They just fit into 2^18 slots: with three
 * times as many, each thread took 40 MB more and was hardly faster.
 */
const MAX_WORDS = 190_000
/** Slots looked at for one word. Words that a hostile page made to collide are taken the slow way instead. */
const MAX_PROBES = 32
/** Words up to this many ASCII letters are the two numbers that {@link TermInterner.idOfAscii} takes, and nothing else. */
const PACKED_LETTERS = 8

/** Other in every process, so that no page can know which words collide. */
const SEED = randomInt(2 ** 31)

/**
 * One slot of the table of words: id of the term plus 1 (0: free), then for a short word its letters in two numbers, for
 * a longer one its hash and the place of its letters; last its length. Together in memory, since a slot of a common
 * word is seldom in the processor's cache.
 */
const SLOT = 4
const FIRST_SLOTS = 1 << 14
/** Share of the slots that is taken at most. */
const MAX_LOAD = 0.75

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * The terms met so far, by number, and the way from words to them. An ASCII word is found by its letters without making
 * a string of it: nearly all words of the web are, and are met again and again.
 */
class TermInterner {
  /** Number of terms. */
  count = 0
  /** The UTF-8 bytes of all terms. */
  bytes: Uint8Array = new Uint8Array(1 << 16)
  /** Per term where its bytes end; they begin where those of the term before end. */
  ends: Uint32Array = new Uint32Array(1 << 13)
  /** Grows when ids are given out anew: ids of an older generation mean nothing. */
  generation = 0
  /** Terms as strings, as far as anybody asked. */
  #strings: (string | undefined)[] = []
  /** Open addressing over the bytes of the terms: id plus 1. */
  #termSlots = new Int32Array(FIRST_SLOTS)
  /** Terms that found no slot near their own: those of hostile pages. */
  #crowded = new Map<string, number>()
  /** Ids of words other than ASCII ones, as written. */
  #idsByWord = new Map<string, number>()
  #idsByPair = new Map<number, number>()
  #slots = new Int32Array(FIRST_SLOTS * SLOT)
  #words = 0
  /** Letters of long ASCII words, in lower case. */
  #letters = new Uint8Array(1 << 14)
  #lettersUsed = 0
  #scratch = new Uint8Array(256)

  /** Starts anew when the table is full. Called only where no id is kept. */
  makeRoom(): void {
    if (this.#words + this.#idsByWord.size + this.#idsByPair.size < MAX_WORDS && this.count < MAX_WORDS) return
    this.generation++
    this.count = 0
    this.#strings = []
    this.#termSlots.fill(0)
    this.#crowded.clear()
    this.#idsByWord.clear()
    this.#idsByPair.clear()
    this.#slots.fill(0)
    this.#words = 0
    this.#lettersUsed = 0
  }

  /** Where the bytes of a term begin. */
  startOf(id: number): number {
    return id === 0 ? 0 : this.ends[id - 1]!
  }

  /** A term as a string. */
  term(id: number): string {
    let term = this.#strings[id]
    if (term === undefined) {
      term = decoder.decode(this.bytes.subarray(this.startOf(id), this.ends[id]))
      this.#strings[id] = term
    }
    return term
  }

  /**
   * The id of the ASCII word `text[start, end)`.
   *
   * @param high - with `low`, its last eight units, each `| 32`, as bytes, the last lowest.
   */
  idOfAscii(text: string, start: number, end: number, high: number, low: number): number {
    const length = end - start
    if (length > PACKED_LETTERS) return this.#idOfLong(text, start, length)
    const mask = this.#slots.length / SLOT - 1
    let slot = mixed(high, low) & mask
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const at = slot * SLOT
      const id = this.#slots[at]!
      if (id === 0) return this.#insert(text, start, end, at, high, low)
      if (this.#slots[at + 1] === high && this.#slots[at + 2] === low && this.#slots[at + 3] === length) return id - 1
      slot = (slot + 1) & mask
    }
    return this.idOfWord(text.slice(start, end))
  }

  #idOfLong(text: string, start: number, length: number): number {
    if (length > MAX_TERM_UNITS) return this.idOfTerm(stemmed(text.slice(start, start + MAX_TERM_UNITS).toLowerCase()))
    let hash = SEED
    for (let i = 0; i < length; i++)
      hash = Math.imul(hash ^ (text.charCodeAt(start + i) | 32), 0x5bd1e995) ^ (hash >>> 15)
    hash = mixed(hash, length)
    const mask = this.#slots.length / SLOT - 1
    let slot = hash & mask
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const at = slot * SLOT
      const id = this.#slots[at]!
      if (id === 0) {
        const letters = this.#keepLetters(text, start, length)
        return this.#insert(text, start, start + length, at, hash, letters)
      }
      if (
        this.#slots[at + 1] === hash &&
        this.#slots[at + 3] === length &&
        this.#isWord(this.#slots[at + 2]!, text, start, length)
      )
        return id - 1
      slot = (slot + 1) & mask
    }
    return this.idOfWord(text.slice(start, start + length))
  }

  /** The id of any other word, as written. */
  idOfWord(raw: string): number {
    const known = this.#idsByWord.get(raw)
    if (known !== undefined) return known
    const id = this.idOfTerm(stemmed(foldWord(raw, MAX_TERM_UNITS)))
    // A long raw word is rare and its term cheap beside keeping it.
    if (raw.length <= MAX_TERM_UNITS) this.#idsByWord.set(detached(raw), id)
    return id
  }

  /** The id of two neighbours of a script without spaces. */
  idOfBigram(first: number, second: number): number {
    const pair = first * 0x110000 + second
    let id = this.#idsByPair.get(pair)
    if (id === undefined) {
      id = this.idOfTerm(String.fromCodePoint(first, second))
      this.#idsByPair.set(pair, id)
    }
    return id
  }

  idOfTerm(term: string): number {
    if (this.#scratch.length < term.length * 3) this.#scratch = new Uint8Array(term.length * 3)
    const scratch = this.#scratch
    const length = encodeTerm(term, scratch)
    const mask = this.#termSlots.length - 1
    let slot = hashOfBytes(scratch, 0, length) & mask
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const id = this.#termSlots[slot]!
      if (id === 0) {
        this.#termSlots[slot] = this.count + 1
        return this.#add(length)
      }
      if (this.#isTerm(id - 1, scratch, length)) return id - 1
      slot = (slot + 1) & mask
    }
    return this.#idOfCrowded(length)
  }

  /** For the term in the scratch buffer, which has none of the slots that are looked at. */
  #idOfCrowded(length: number): number {
    const term = decoder.decode(this.#scratch.subarray(0, length))
    const known = this.#crowded.get(term)
    if (known !== undefined) return known
    this.#crowded.set(term, this.count)
    return this.#add(length)
  }

  /** Adds the term in the scratch buffer under the next id. */
  #add(length: number): number {
    const id = this.count++
    const start = this.startOf(id)
    if (id === this.ends.length) this.ends = doubled(this.ends)
    while (start + length > this.bytes.length) this.bytes = doubled(this.bytes)
    for (let i = 0; i < length; i++) this.bytes[start + i] = this.#scratch[i]!
    this.ends[id] = start + length
    if (this.count > MAX_LOAD * this.#termSlots.length) this.#rehashTerms()
    return id
  }

  #isTerm(id: number, bytes: Uint8Array, length: number): boolean {
    const start = this.startOf(id)
    if (this.ends[id]! - start !== length) return false
    for (let i = 0; i < length; i++) if (this.bytes[start + i] !== bytes[i]) return false
    return true
  }

  #isWord(letters: number, text: string, start: number, length: number): boolean {
    for (let i = 0; i < length; i++) if (this.#letters[letters + i] !== (text.charCodeAt(start + i) | 32)) return false
    return true
  }

  #keepLetters(text: string, start: number, length: number): number {
    const at = this.#lettersUsed
    if (at + length > this.#letters.length) this.#letters = doubled(this.#letters)
    for (let i = 0; i < length; i++) this.#letters[at + i] = text.charCodeAt(start + i) | 32
    this.#lettersUsed = at + length
    return at
  }

  #insert(text: string, start: number, end: number, at: number, first: number, second: number): number {
    const id = this.idOfTerm(stemmed(text.slice(start, end).toLowerCase()))
    const slots = this.#slots
    slots[at] = id + 1
    slots[at + 1] = first
    slots[at + 2] = second
    slots[at + 3] = end - start
    if (++this.#words * SLOT > MAX_LOAD * slots.length) this.#rehash()
    return id
  }

  #rehash(): void {
    const old = this.#slots
    const slots = new Int32Array(old.length * 2)
    const mask = slots.length / SLOT - 1
    for (let from = 0; from < old.length; from += SLOT) {
      if (old[from] === 0) continue
      // The hash of a short word is that of its letters; a long one has it as its first number.
      let slot = (old[from + 3]! > PACKED_LETTERS ? old[from + 1]! : mixed(old[from + 1]!, old[from + 2]!)) & mask
      for (let probes = 1; slots[slot * SLOT] !== 0 && probes < MAX_PROBES; probes++) slot = (slot + 1) & mask
      // A word without a slot is looked up the slow way from now on.
      if (slots[slot * SLOT] === 0) slots.set(old.subarray(from, from + SLOT), slot * SLOT)
    }
    this.#slots = slots
  }

  #rehashTerms(): void {
    const slots = new Int32Array(this.#termSlots.length * 2)
    const mask = slots.length - 1
    this.#crowded.clear()
    for (let id = 0; id < this.count; id++) {
      let slot = hashOfBytes(this.bytes, this.startOf(id), this.ends[id]!) & mask
      for (let probes = 1; slots[slot] !== 0 && probes < MAX_PROBES; probes++) slot = (slot + 1) & mask
      if (slots[slot] === 0) slots[slot] = id + 1
      else this.#crowded.set(this.term(id), id)
    }
    this.#termSlots = slots
  }
}

/** One table for a thread: what it knows does not show in any term. */
export const termInterner = new TermInterner()

/** The term of a folded word: ASCII letters alone are English, as far as we know, and stemmed. */
export function stemmed(folded: string): string {
  for (let at = 0; at < folded.length; at++) {
    const unit = folded.charCodeAt(at)
    if (unit < 97 || unit > 122) return folded
  }
  return porter2(folded)
}

function mixed(first: number, second: number): number {
  let hash = Math.imul(first ^ SEED, 0x5bd1e995)
  hash = Math.imul(hash ^ (hash >>> 15) ^ second, 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39)
  return hash ^ (hash >>> 16)
}

function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = SEED
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x5bd1e995) ^ (hash >>> 15)
  return mixed(hash, end - start)
}

/** Writes the UTF-8 bytes of a term; most are ASCII, which needs no call. */
function encodeTerm(term: string, into: Uint8Array): number {
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i)
    if (unit > 127) return encoder.encodeInto(term, into).written
    into[i] = unit
  }
  return term.length
}

function doubled<A extends Uint32Array | Uint8Array>(array: A): A {
  const larger = new (array.constructor as new (length: number) => A)(array.length * 2)
  larger.set(array)
  return larger
}

/** Copies a string: V8 makes a slice of 13 units or more a view that would keep the whole page alive. */
function detached(text: string): string {
  if (text.length < 13) return text
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) > 0xff) return Buffer.from(text, 'utf16le').toString('utf16le')
  return Buffer.from(text, 'latin1').toString('latin1')
}
