import { randomInt } from 'node:crypto'
import { foldWord } from './fold.ts'
import { porter2 } from './porter2.ts'

/** Terms are cut to this many UTF-16 units, so that no page can make a huge one. */
export const MAX_TERM_UNITS = 64

/** Words known at a time; with more the table starts anew at the next text. */
const MAX_WORDS = 400_000
/** Slots looked at for one word. Words that a hostile page made to collide are taken the slow way instead. */
const MAX_PROBES = 32
const EMPTY = -1

/** A hash begins with this, other in every process, so that no page can know which words collide. */
export const HASH_SEED = randomInt(2 ** 31)

/** One step of a word's hash. ASCII letters of either case are one: `unit | 32`. */
export function hashStep(hash: number, unit: number): number {
  const mixed = Math.imul(hash ^ (unit | 32), 0x5bd1e995)
  return mixed ^ (mixed >>> 15)
}

/**
 * The terms met so far, by number, and the way from words to them. An ASCII word is found by its hash and letters
 * without making a string of it: nearly all words of the web are, and are met again and again.
 */
class TermTable {
  /** Terms by id. */
  terms: string[] = []
  /** Grows when ids are given out anew: ids of an older generation mean nothing. */
  generation = 0
  #ids = new Map<string, number>()
  /** Ids of words other than short ASCII ones, as written. */
  #idsByWord = new Map<string, number>()
  #idsByPair = new Map<number, number>()
  /** Open addressing: number of a word, or {@link EMPTY}. */
  #slots = new Int32Array(1 << 16).fill(EMPTY)
  #words = 0
  #hashes = new Int32Array(1 << 15)
  #wordIds = new Int32Array(1 << 15)
  #letterStarts = new Uint32Array(1 << 15)
  #lengths = new Uint8Array(1 << 15)
  #letters = new Uint8Array(1 << 18)
  #lettersUsed = 0

  /** Starts anew when the table is full. Called only where no id is kept. */
  makeRoom(): void {
    if (this.#words + this.#idsByWord.size + this.#idsByPair.size < MAX_WORDS) return
    this.generation++
    this.terms = []
    this.#ids.clear()
    this.#idsByWord.clear()
    this.#idsByPair.clear()
    this.#slots.fill(EMPTY)
    this.#words = 0
    this.#lettersUsed = 0
  }

  /** The id of the ASCII word `text[start, end)`, whose {@link hashStep} hash is given. */
  idOfAscii(text: string, start: number, end: number, hash: number): number {
    const length = end - start
    if (length > MAX_TERM_UNITS) return this.idOfTerm(stemmed(text.slice(start, start + MAX_TERM_UNITS).toLowerCase()))
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const word = this.#slots[slot]
      if (word === EMPTY) return this.#insert(text, start, end, hash, slot)
      if (this.#hashes[word] === hash && this.#lengths[word] === length && this.#isWord(word, text, start, length))
        return this.#wordIds[word]
      slot = (slot + 1) & mask
    }
    return this.idOfWord(text.slice(start, end))
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
    let id = this.#ids.get(term)
    if (id === undefined) {
      const own = detached(term)
      id = this.terms.length
      this.terms.push(own)
      this.#ids.set(own, id)
    }
    return id
  }

  #isWord(word: number, text: string, start: number, length: number): boolean {
    const at = this.#letterStarts[word]
    for (let i = 0; i < length; i++) if (this.#letters[at + i] !== (text.charCodeAt(start + i) | 32)) return false
    return true
  }

  #insert(text: string, start: number, end: number, hash: number, slot: number): number {
    const id = this.idOfTerm(stemmed(text.slice(start, end).toLowerCase()))
    const word = this.#words++
    if (word === this.#hashes.length) this.#growWords()
    if (this.#lettersUsed + MAX_TERM_UNITS > this.#letters.length) this.#letters = doubled(this.#letters)
    this.#hashes[word] = hash
    this.#wordIds[word] = id
    this.#letterStarts[word] = this.#lettersUsed
    this.#lengths[word] = end - start
    for (let i = start; i < end; i++) this.#letters[this.#lettersUsed++] = text.charCodeAt(i) | 32
    this.#slots[slot] = word
    if (this.#words * 2 > this.#slots.length) this.#rehash()
    return id
  }

  #growWords(): void {
    this.#hashes = doubled(this.#hashes)
    this.#wordIds = doubled(this.#wordIds)
    this.#letterStarts = doubled(this.#letterStarts)
    this.#lengths = doubled(this.#lengths)
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(EMPTY)
    const mask = slots.length - 1
    for (let word = 0; word < this.#words; word++) {
      let slot = this.#hashes[word] & mask
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask
      slots[slot] = word
    }
    this.#slots = slots
  }
}

/** One table for a thread: what it knows does not show in any term. */
export const termTable = new TermTable()

/** The term of a folded word: ASCII letters alone are English, as far as we know, and stemmed. */
export function stemmed(folded: string): string {
  for (let at = 0; at < folded.length; at++) {
    const unit = folded.charCodeAt(at)
    if (unit < 97 || unit > 122) return folded
  }
  return porter2(folded)
}

function doubled<A extends Int32Array | Uint32Array | Uint8Array>(array: A): A {
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
