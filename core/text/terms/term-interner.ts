import { randomInt } from 'node:crypto'
import { type Analyzer, analyzer } from '../languages/analyzers.ts'
import { foldToTerm, MAX_TERM_UNITS } from './word-term.ts'

/**
 * Maximum number of words in the interner. When it is full, it is emptied before the next text. This number just fits
 * into 2^18 slots. With three times as many words, each thread needed 40 MB more and was hardly faster.
 */
const MAX_WORDS = 190_000
/**
 * Maximum number of slots that are probed for a word. A hostile page may have words that collide; then a `Map` takes
 * over.
 */
const MAX_PROBES = 32
/** Maximum length of an ASCII word that is identified by two numbers made of its letters. */
const PACKED_LETTERS = 8

/** A random seed of the process, so that no page can know which words collide. */
const SEED = randomInt(2 ** 31)

/**
 * Count of numbers in a slot of the word table: the number of the word plus 1 (0: free slot), two numbers that identify the
 * word, and its length. For a short word the two numbers hold its letters, for a longer one its hash and the offset of
 * its letters. All numbers of a slot are adjacent, because a slot is seldom in the processor's cache.
 */
const SLOT = 4
const FIRST_SLOTS = 1 << 14
/** Share of used slots above which the table doubles. */
const MAX_LOAD = 0.75

/** Number of bits that hold the id plus 1 in an entry of the table of terms. */
const ENTRY_ID_BITS = 24
const ENTRY_IDS = 2 ** ENTRY_ID_BITS - 1

/**
 * A word as one number: the id of its term in the lower {@link WORD_ID_BITS} bits, and above them the number of its ending, which
 * `endingOf` returns.
 */
export type WordNumber = number
export const WORD_ID_BITS: number = ENTRY_ID_BITS
export const WORD_IDS: number = ENTRY_IDS

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Gives each distinct term an id, and finds the {@link WordNumber} of a word. Most words are ASCII and occur often, so they are
 * looked up by their letters, without creating a string.
 */
class TermInterner {
  /** Number of terms. */
  count = 0
  /** The UTF-8 bytes of all terms. */
  bytes: Uint8Array = new Uint8Array(1 << 16)
  /** For each term, the offset at which its bytes end. The bytes of the next term begin there. */
  ends: Uint32Array = new Uint32Array(1 << 13)
  /** Number of times that the interner was emptied. Ids of an earlier generation are invalid. */
  generation = 0
  /** Terms as strings, decoded when they are first needed. */
  #strings: (string | undefined)[] = []
  /**
   * A hash table of terms by their bytes, with open addressing. An entry has the id plus 1 (0: free slot) in its lower
   * 24 bits, and eight bits of the hash above them, which rule out most other terms without reading their bytes.
   */
  #termSlots = new Int32Array(FIRST_SLOTS)
  /** Terms for which all probed slots were taken. Only hostile pages have such terms. */
  #crowded = new Map<string, number>()
  /** Numbers of non-ASCII words, by the word as written. */
  #numbersByWord = new Map<string, number>()
  /** Ids of bigrams. The key is `first * 0x110000 + second`. */
  #idsByPair = new Map<number, number>()
  #slots = new Int32Array(FIRST_SLOTS * SLOT)
  #words = 0
  /** The letters of longer ASCII words, in lower case, one word after another. */
  #letters = new Uint8Array(1 << 14)
  #lettersUsed = 0
  /** The analyzer that made the terms. */
  #analyzer: Analyzer = analyzer
  /** The UTF-8 bytes of the term to look up. */
  #scratch = new Uint8Array(256)

  /** Empties the interner if it is full, or if another analyzer made its terms. May be called only when no id is in use. */
  makeRoom(): void {
    const isFull = this.#words + this.#numbersByWord.size + this.#idsByPair.size >= MAX_WORDS || this.count >= MAX_WORDS
    if (!isFull && this.#analyzer === analyzer) return
    this.#analyzer = analyzer
    this.generation++
    this.count = 0
    this.#strings = []
    this.#termSlots.fill(0)
    this.#crowded.clear()
    this.#numbersByWord.clear()
    this.#idsByPair.clear()
    this.#slots.fill(0)
    this.#words = 0
    this.#lettersUsed = 0
  }

  /** Returns the offset in {@link bytes} at which a term begins. */
  startOf(id: number): number {
    return id === 0 ? 0 : this.ends[id - 1]!
  }

  /** Returns a term as a string. */
  term(id: number): string {
    let term = this.#strings[id]
    if (term === undefined) {
      term = decoder.decode(this.bytes.subarray(this.startOf(id), this.ends[id]))
      this.#strings[id] = term
    }
    return term
  }

  /**
   * Returns the number of the ASCII word `text[start, end)`.
   *
   * @param high - with `low`, the last eight letters of the word in lower case (`| 32`), one byte each. The last letter
   *   is the lowest byte of `low`.
   */
  numberOfAscii(text: string, start: number, end: number, high: number, low: number): WordNumber {
    const length = end - start
    if (length > PACKED_LETTERS) return this.#numberOfLong(text, start, length)
    const mask = this.#slots.length / SLOT - 1
    let slot = mix(high, low) & mask
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const at = slot * SLOT
      const taken = this.#slots[at]!
      if (taken === 0) return this.#insert(text, start, end, at, high, low)
      if (this.#slots[at + 1] === high && this.#slots[at + 2] === low && this.#slots[at + 3] === length)
        return taken - 1
      slot = (slot + 1) & mask
    }
    return this.numberOfWord(text.slice(start, end))
  }

  #numberOfLong(text: string, start: number, length: number): WordNumber {
    if (length > MAX_TERM_UNITS) return this.numberOfWord(text.slice(start, start + length))
    let hash = SEED
    for (let i = 0; i < length; i++)
      hash = Math.imul(hash ^ (text.charCodeAt(start + i) | 32), 0x5bd1e995) ^ (hash >>> 15)
    hash = mix(hash, length)
    const mask = this.#slots.length / SLOT - 1
    let slot = hash & mask
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const at = slot * SLOT
      const taken = this.#slots[at]!
      if (taken === 0) {
        const letters = this.#keepLetters(text, start, length)
        return this.#insert(text, start, start + length, at, hash, letters)
      }
      if (
        this.#slots[at + 1] === hash &&
        this.#slots[at + 3] === length &&
        this.#isWord(this.#slots[at + 2]!, text, start, length)
      )
        return taken - 1
      slot = (slot + 1) & mask
    }
    return this.numberOfWord(text.slice(start, start + length))
  }

  /** Returns the number of any word, given as written. */
  numberOfWord(raw: string): WordNumber {
    const known = this.#numbersByWord.get(raw)
    if (known !== undefined) return known
    const number = this.numberOfFolded(foldToTerm(raw))
    // Long words are rare, so it costs less to analyze them again than to keep them.
    if (raw.length <= MAX_TERM_UNITS) this.#numbersByWord.set(detach(raw), number)
    return number
  }

  /** Returns the number of a word, given folded and cut to {@link MAX_TERM_UNITS}. */
  numberOfFolded(folded: string): WordNumber {
    const term = stemTerm(folded)
    return this.idOfTerm(term) | (analyzer.endingOf(folded, term) << WORD_ID_BITS)
  }

  /** Returns the id of the bigram of two adjacent code points in a script without spaces. */
  idOfBigram(first: number, second: number): number {
    const pair = first * 0x110000 + second
    let id = this.#idsByPair.get(pair)
    if (id === undefined) {
      id = this.idOfTerm(String.fromCodePoint(first, second))
      this.#idsByPair.set(pair, id)
    }
    return id
  }

  /** Returns the number of an ASCII word that is given in lower case. */
  numberOfLowerCase(bytes: Uint8Array, start: number, end: number): WordNumber {
    if (end - start > MAX_TERM_UNITS) return this.numberOfWord(decoder.decode(bytes.subarray(start, end)))
    if (!isOwnTerm(bytes, start, end)) return this.numberOfFolded(decoder.decode(bytes.subarray(start, end)))
    for (let i = start; i < end; i++) this.#scratch[i - start] = bytes[i]!
    return this.#idOfScratch(end - start)
  }

  /** Returns the id of a term, adding it if it is new. */
  idOfTerm(term: string): number {
    if (this.#scratch.length < term.length * 3) this.#scratch = new Uint8Array(term.length * 3)
    return this.#idOfScratch(encodeTerm(term, this.#scratch))
  }

  /** Returns the id of the term in the scratch buffer. */
  #idOfScratch(length: number): number {
    const scratch = this.#scratch
    const mask = this.#termSlots.length - 1
    const hash = hashOfBytes(scratch, 0, length)
    let slot = hash & mask
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const entry = this.#termSlots[slot]!
      if (entry === 0) {
        if (this.count >= ENTRY_IDS) break
        this.#termSlots[slot] = entryOf(hash, this.count)
        return this.#add(length)
      }
      if ((entry ^ hash) >>> ENTRY_ID_BITS === 0) {
        const id = (entry & ENTRY_IDS) - 1
        if (this.#isTerm(id, scratch, length)) return id
      }
      slot = (slot + 1) & mask
    }
    return this.#idOfCrowded(length)
  }

  /** Returns the id of the term in the scratch buffer from the map of terms without a slot. */
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
    const number = this.numberOfFolded(text.slice(start, end).toLowerCase())
    const slots = this.#slots
    slots[at] = number + 1
    slots[at + 1] = first
    slots[at + 2] = second
    slots[at + 3] = end - start
    if (++this.#words * SLOT > MAX_LOAD * slots.length) this.#rehash()
    return number
  }

  #rehash(): void {
    const old = this.#slots
    const slots = new Int32Array(old.length * 2)
    const mask = slots.length / SLOT - 1
    for (let from = 0; from < old.length; from += SLOT) {
      if (old[from] === 0) continue
      // For a short word the hash is computed from its letters; for a longer word it is stored.
      let slot = (old[from + 3]! > PACKED_LETTERS ? old[from + 1]! : mix(old[from + 1]!, old[from + 2]!)) & mask
      for (let probes = 1; slots[slot * SLOT] !== 0 && probes < MAX_PROBES; probes++) slot = (slot + 1) & mask
      // A word that finds no slot is later looked up in `#numbersByWord`.
      if (slots[slot * SLOT] === 0) slots.set(old.subarray(from, from + SLOT), slot * SLOT)
    }
    this.#slots = slots
  }

  #rehashTerms(): void {
    const slots = new Int32Array(this.#termSlots.length * 2)
    const mask = slots.length - 1
    this.#crowded.clear()
    for (let id = 0; id < this.count; id++) {
      const hash = hashOfBytes(this.bytes, this.startOf(id), this.ends[id]!)
      let slot = hash & mask
      for (let probes = 1; slots[slot] !== 0 && probes < MAX_PROBES; probes++) slot = (slot + 1) & mask
      if (slots[slot] === 0 && id < ENTRY_IDS) slots[slot] = entryOf(hash, id)
      else this.#crowded.set(this.term(id), id)
    }
    this.#termSlots = slots
  }
}

/** The interner of this thread. Its content only affects speed. */
export const termInterner = new TermInterner()

/** Returns the term of a folded word: the English stem if all its letters are ASCII, otherwise the word itself. */
export function stemTerm(folded: string): string {
  for (let at = 0; at < folded.length; at++) {
    const unit = folded.charCodeAt(at)
    if (unit < 97 || unit > 122) return folded
  }
  return analyzer.mayStem(folded.charCodeAt(folded.length - 1)) ? analyzer.stemEnglish(folded) : folded
}

/** True if a lower-case ASCII word is surely its own term. */
function isOwnTerm(bytes: Uint8Array, start: number, end: number): boolean {
  if (!analyzer.mayStem(bytes[end - 1]!)) return true
  for (let i = start; i < end; i++) if (bytes[i]! < 97) return true
  return false
}

/** Makes an entry of the table of terms. */
function entryOf(hash: number, id: number): number {
  return (hash & ~ENTRY_IDS) | (id + 1)
}

function mix(first: number, second: number): number {
  let hash = Math.imul(first ^ SEED, 0x5bd1e995)
  hash = Math.imul(hash ^ (hash >>> 15) ^ second, 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39)
  return hash ^ (hash >>> 16)
}

function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = SEED
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x5bd1e995) ^ (hash >>> 15)
  return mix(hash, end - start)
}

/** Writes the UTF-8 bytes of a term and returns their number. Most terms are ASCII, for which no encoder is needed. */
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

/**
 * Copies a string. V8 represents a slice of 13 or more units by a reference to the whole page, which would then stay in
 * memory.
 */
export function detach(text: string): string {
  if (text.length < 13) return text
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) > 0xff) return Buffer.from(text, 'utf16le').toString('utf16le')
  return Buffer.from(text, 'latin1').toString('latin1')
}
