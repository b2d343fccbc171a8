import { isHighSurrogate } from '@asof/extract/characters'
import { lowerBound } from '../../bytes/binary-search.ts'
import { FIRST_BIGRAM, SEPARATOR, SKIPPED, unitClasses, WORD } from '../characters/char-table.ts'
import { classAt, sizeAt } from './tokens.ts'
import { copiedUnits, edges, edgesEnd, edgesOf, MAX_EDGES } from './word-edges.ts'

/** Number of words from one stored offset to the next. */
const EVERY = 32

/** Matches the letters that `spelledOut` spells out, also as a letter and a mark. */
const SPELLED_OUT = /[äöüøåÄÖÜØÅ]|\u0308|\u030a|\u212b/

/** Where the words of a text begin and end. The words and their numbers are those of the tokenizer. */
export class WordOffsets {
  /** Number of words. */
  readonly count: number
  readonly #text: string
  /** Offset of each {@link EVERY}th word. */
  readonly #offsets: Uint32Array
  #hasSpelledOut: boolean | undefined

  private constructor(text: string, count: number, offsets: readonly number[]) {
    this.#text = text
    this.count = count
    this.#offsets = Uint32Array.from(offsets)
  }

  /** Returns the words of a text; undefined if a part of the text is in a script without spaces. */
  static of(text: string): WordOffsets | undefined {
    const units = copiedUnits(text)
    const offsets: number[] = []
    let count = 0
    for (let at = 0; at < text.length; ) {
      const found = edgesOf(units, at, Math.min(text.length + 1, at + MAX_EDGES))
      for (let edge = 2 * (-count & (EVERY - 1)); edge < found; edge += 2 * EVERY) offsets.push(edges[edge]!)
      count += found >>> 1
      at = edgesEnd
      if (at >= text.length) break
      const charClass = classAt(text, at)
      if (charClass >= FIRST_BIGRAM) return undefined
      if (charClass !== WORD) at = afterOther(text, at, charClass)
      else {
        if (count % EVERY === 0) offsets.push(at)
        count++
        at = readWord(text, at)
      }
    }
    return new WordOffsets(text, count, offsets)
  }

  /** True if a word of the text may have a letter that `spelledOut` spells out. */
  get hasSpelledOut(): boolean {
    this.#hasSpelledOut ??= SPELLED_OUT.test(this.#text)
    return this.#hasSpelledOut
  }

  /** Returns the number of the first word that begins at an offset or after it. */
  from(offset: number): number {
    const offsets = this.#offsets
    const after = lowerBound(offsets, offsets.length, offset)
    if (after === 0) return 0
    let word = (after - 1) * EVERY
    for (let at = offsets[after - 1]!; word < this.count; word++) {
      at = nextWord(this.#text, at)
      if (at >= offset) break
      at = readWord(this.#text, at)
    }
    return word
  }

  /**
   * Finds the offsets of the words from number `from` to `to`.
   *
   * @param out - gets the start and the end of each word, one after the other, from index 0 on.
   */
  read(from: number, to: number, out: Uint32Array): void {
    const text = this.#text
    let word = from - (from % EVERY)
    for (let at = this.#offsets[word / EVERY] ?? text.length; word < to; word++) {
      const start = nextWord(text, at)
      at = readWord(text, start)
      if (word < from) continue
      out[2 * (word - from)] = start
      out[2 * (word - from) + 1] = wordEnd
    }
  }
}

/** Returns the start of the first word at an offset or after it; the length of the text if no word follows. */
function nextWord(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    let charClass = unitClasses[text.charCodeAt(at)]!
    if (charClass > WORD) charClass = classAt(text, at)
    if (charClass === WORD) return at
    at = charClass === SEPARATOR ? at + 1 : afterOther(text, at, charClass)
  }
  return at
}

/** Returns the offset after a character that is neither a part of a word nor of a run without spaces. */
function afterOther(text: string, at: number, charClass: number): number {
  return charClass !== SEPARATOR && isHighSurrogate(text.charCodeAt(at)) ? at + 2 : at + 1
}

/** Offset of the end of the word that {@link readWord} read last, without the characters at its end that the tokenizer skips. */
let wordEnd = 0

/** Reads the word at `start`; returns the offset where reading stopped. */
function readWord(text: string, start: number): number {
  let at = start
  wordEnd = start
  while (at < text.length) {
    let charClass = unitClasses[text.charCodeAt(at)]!
    if (charClass === WORD) {
      wordEnd = ++at
      continue
    }
    if (charClass > WORD) charClass = classAt(text, at)
    if (charClass === SEPARATOR || charClass >= FIRST_BIGRAM) break
    at += sizeAt(text, at)
    if (charClass !== SKIPPED) wordEnd = at
  }
  return at
}
