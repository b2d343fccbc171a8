import {
  baseOf,
  FIRST_BIGRAM,
  SEPARATOR,
  SKIPPED,
  STRIPPED,
  SURROGATE,
  unitClasses,
  unitFolds,
  WORD,
} from '../characters/char-table.ts'
import { foldWord } from '../characters/fold.ts'
import { isHighSurrogate, isLowSurrogate, isSurrogate } from '../characters/surrogates.ts'
import { isHan } from '../languages/script-census.ts'
import { hasStems, languageStem } from './language-terms.ts'
import { symbolForms, wordOfSymbol } from './symbols.ts'
import { MAX_TERM_UNITS, stemTerm } from './term-interner.ts'
import { type BigramSink, classAt, scanBigrams, sizeAt, unitsOfRun } from './tokens.ts'

/** One occurrence of a term in a text. */
export interface TermMatch {
  /** Index of the term among the scanner's terms; for a pattern, the number of these terms plus the index of the pattern. */
  term: number
  /** Number of words before it in the text; characters count as words in scripts without spaces. */
  position: number
  /** UTF-16 offsets `[start, end)`. */
  start: number
  end: number
}

/** A rule that selects terms to find, such as a wildcard. */
export interface ScannedPattern {
  /** Prefixes: every matching term begins with one of them. */
  beginnings: readonly string[]
  matches(term: string): boolean
}

/** The most occurrences that are reported of one term: enough to find the best passages of any text. */
const MAX_PLACES = 1000
/** The most words cached per language. */
const MAX_WORDS = 10_000
/** Marks a word whose term is not looked for. */
const NONE = -1
/** A bigram's key is `first * PAIR_BASE + second`. */
const PAIR_BASE = 0x110000

/**
 * Finds a few terms in texts, at exactly the places where the tokenizer would, but many times faster. It skips each word
 * whose first letters no term begins with. That is safe because a term begins with the same letters as its word: folding
 * works letter by letter, and English stemming changes the end.
 */
export class TermScanner {
  /** Index of each term without symbols. */
  readonly #terms = new Map<string, number>()
  /** Index of each term with symbols, such as `c++`. */
  readonly #symbols = new Map<string, number>()
  /** By the low byte of a folded unit: 1 if a word that begins with it may be one of the terms. */
  readonly #firsts = new Uint8Array(256)
  /** The same for ASCII words, which are most of a text, by their first three letters ({@link beginningOf}). */
  readonly #beginnings = new Uint8Array(1 << 15)
  /** Index of each term of one or two characters of a script written without spaces. The second code point may be 0. */
  readonly #bigrams = new Map<number, number>()
  /** Receives the bigrams of a text. Undefined if none of the terms can be a bigram. */
  readonly #sink: BigramSink | undefined
  /** Cache: by language and word, the index of the word's term, or {@link NONE}. */
  readonly #words = new Map<string, Map<string, number>>()
  /** The cache for the current text's language. */
  #known = new Map<string, number>()
  /** The current text's language if it has stems, else ''. */
  #language = ''
  /** The current text. */
  #text = ''
  /** Offset after the last character that was looked up as a term of one character. */
  #singleEnd = -1
  readonly #patterns: readonly ScannedPattern[]
  /** By term and pattern, the number of occurrences reported for the current text. */
  readonly #places: Uint32Array
  #matches: TermMatch[] = []

  constructor(terms: readonly string[], patterns: readonly ScannedPattern[] = []) {
    this.#places = new Uint32Array(terms.length + patterns.length)
    this.#patterns = patterns
    terms.forEach((given, index) => {
      const word = wordOfSymbol(given)
      // A term with symbols is found through one of its words.
      const term = word || given
      if (word === '') this.#terms.set(term, index)
      else this.#symbols.set(given, index)
      this.#markFirst(term)
      this.#markBeginning(term)
      const [first = 0, second = 0] = Array.from(term, char => char.codePointAt(0) ?? 0)
      if (classAt(term, 0) >= FIRST_BIGRAM) this.#bigrams.set(first * PAIR_BASE + second, index)
    })
    let hasBigrams = this.#bigrams.size > 0
    const hasSingles = patterns.length > 0 || [...this.#bigrams.keys()].some(key => key % PAIR_BASE === 0)
    for (const beginning of patterns.flatMap(({ beginnings }) => beginnings)) {
      this.#markFirst(beginning)
      // Stemming may have changed any letter after the first.
      const first = beginning.charCodeAt(0)
      this.#beginnings.fill(1, beginningOf(first, 0, 0), beginningOf(first, 31, 31) + 1)
      if (classAt(beginning, 0) >= FIRST_BIGRAM) hasBigrams = true
    }
    if (hasBigrams)
      this.#sink = {
        bigram: (first, second, position, start, end) => {
          if (this.#firsts[first & 255] === 1 || first > 0xffff)
            this.#note(this.#bigramOf(first, second), position, start, end)
          if (hasSingles) this.#noteSingles(first, second, position, start, end)
        },
        single: (codePoint, position, start, end) => this.#note(this.#bigramOf(codePoint, 0), position, start, end),
      }
  }

  #bigramOf(first: number, second: number): number {
    const index = this.#bigrams.get(first * PAIR_BASE + second)
    if (index !== undefined || this.#patterns.length === 0) return index ?? NONE
    return this.#patternOf(second === 0 ? String.fromCodePoint(first) : String.fromCodePoint(first, second))
  }

  /** Looks up each Chinese character of a pair as a term. A character that belongs to two pairs is reported once. */
  #noteSingles(first: number, second: number, position: number, start: number, end: number): void {
    const firstEnd = start + sizeAt(this.#text, start)
    if (this.#singleEnd !== firstEnd) this.#noteSingle(first, position, start, firstEnd)
    const secondStart = end - (isLowSurrogate(this.#text.charCodeAt(end - 1)) ? 2 : 1)
    this.#noteSingle(second, position + 1, secondStart, end)
  }

  #noteSingle(codePoint: number, position: number, start: number, end: number): void {
    this.#singleEnd = end
    if (isHan(codePoint)) this.#note(this.#bigramOf(codePoint, 0), position, start, end)
  }

  #markFirst(term: string): void {
    // A text may contain a character as its base and a mark, which are composed only in the term.
    for (let form = term.codePointAt(0) ?? 0; form > 0; form = baseOf(form))
      this.#firsts[(form < 0x10000 ? form : term.charCodeAt(0)) & 255] = 1
  }

  #markBeginning(term: string): void {
    const [first, second, third] = [term.charCodeAt(0), term.charCodeAt(1) || 0, term.charCodeAt(2)]
    // A stem of four letters or more has its words' first three letters. Stemming may have changed the third letter of a
    // shorter stem (`fli` from `flies`), and the second letter of a stem of one letter or of a stem like `die` (`dying`).
    if (term.length > 3) this.#beginnings[beginningOf(first, second, third)] = 1
    else if (term.length > 1) this.#markAfter(first, second)
    else this.#beginnings.fill(1, beginningOf(first, 0, 0), beginningOf(first, 31, 31) + 1)
    if (term.length === 3 && term.endsWith('ie')) this.#markAfter(first, 0x79)
  }

  #markAfter(first: number, second: number): void {
    this.#beginnings.fill(1, beginningOf(first, second, 0), beginningOf(first, second, 31) + 1)
  }

  /**
   * Returns the occurrences of the terms in a text, ascending by position; at most {@link MAX_PLACES} of each term.
   *
   * @param language - the language that the text was analyzed in, ISO 639-1. Default: unknown.
   */
  scan(text: string, language = ''): TermMatch[] {
    this.#language = hasStems(language) ? language : ''
    this.#known = this.#words.get(this.#language) ?? new Map()
    this.#words.set(this.#language, this.#known)
    // In such a language a stem may begin with other letters than its word, so no word can be skipped by its beginning.
    const anyMayMatch = this.#language !== ''
    const matches: TermMatch[] = []
    this.#matches = matches
    this.#text = text
    this.#singleEnd = -1
    this.#places.fill(0)
    const beginnings = this.#beginnings
    const { length } = text
    let position = 0
    let at = 0
    while (at < length) {
      const start = at
      const first = text.charCodeAt(at)
      let unit = first
      let charClass = unitClasses[unit]!
      // The hot loop, as in the tokenizer.
      while (charClass === WORD && unit < 128) {
        if (++at === length) break
        unit = text.charCodeAt(at)
        charClass = unitClasses[unit]!
      }
      if (at > start && (at === length || charClass === SEPARATOR || charClass >= FIRST_BIGRAM)) {
        const second = at - start > 1 ? text.charCodeAt(start + 1) : 0
        const third = at - start > 2 ? text.charCodeAt(start + 2) : 0
        if (anyMayMatch || beginnings[beginningOf(first, second, third)] === 1) {
          this.#note(this.#termOf(text.slice(start, at)), position, start, at)
          if (this.#symbols.size > 0) this.#noteSymbols(text, start, at, position)
        }
        position++
        continue
      }
      if (charClass === SURROGATE) charClass = classAt(text, at)
      if (at > start || charClass === WORD) at = this.#word(text, start, position++)
      else if (charClass >= FIRST_BIGRAM && this.#sink) {
        at = scanBigrams(text, at, charClass, this.#sink, position)
        position += unitsOfRun
      } else if (charClass >= FIRST_BIGRAM) {
        at = endOfRun(text, at, charClass)
        position += at - start
      } else at += charClass !== SEPARATOR && isHighSurrogate(unit) ? 2 : 1
    }
    return matches
  }

  /** Looks up the word that begins at `start`. Returns the offset after it. */
  #word(text: string, start: number, position: number): number {
    let at = start
    let end = start
    while (at < text.length) {
      const charClass = classAt(text, at)
      if (charClass === SEPARATOR || charClass >= FIRST_BIGRAM) break
      at += sizeAt(text, at)
      if (charClass !== SKIPPED) end = at
    }
    if (this.#language !== '' || this.#mayBegin(text.charCodeAt(start)))
      this.#note(this.#termOf(text.slice(start, end)), position, start, end)
    return at
  }

  /** True if a word that begins with this unit may be one of the terms. */
  #mayBegin(unit: number): boolean {
    if (unit < 128) return this.#firsts[unit | 32] === 1
    // A unit that folds to several units, or that is half of a surrogate pair, may begin any term.
    const folded = isSurrogate(unit) ? 0 : unitFolds[unit]!
    return folded === 0 || this.#firsts[folded & 255] === 1
  }

  #note(term: number, position: number, start: number, end: number): void {
    if (term !== NONE && this.#places[term]!++ < MAX_PLACES) this.#matches.push({ term, position, start, end })
  }

  /** Reports the terms with symbols that the word `text[start, end)` is part of. */
  #noteSymbols(text: string, start: number, end: number, position: number): void {
    for (const form of symbolForms(text, start, end))
      this.#note(this.#symbols.get(form.term) ?? NONE, position, form.start, form.end)
  }

  /** Returns the index of the first pattern that a term matches, or {@link NONE}. */
  #patternOf(term: string): number {
    const at = this.#patterns.findIndex(pattern => pattern.matches(term))
    return at < 0 ? NONE : this.#places.length - this.#patterns.length + at
  }

  /** Returns the index of the term or pattern that a word matches, or {@link NONE}. */
  #termOf(word: string): number {
    const known = this.#known.get(word)
    if (known !== undefined) return known
    const term = stemTerm(foldWord(word, MAX_TERM_UNITS))
    const index = this.#ofStem(word) ?? this.#terms.get(term) ?? this.#patternOf(term)
    if (this.#known.size < MAX_WORDS && word.length <= MAX_TERM_UNITS) this.#known.set(word, index)
    return index
  }

  #ofStem(word: string): number | undefined {
    if (this.#language === '') return undefined
    return this.#terms.get(languageStem(word.slice(0, MAX_TERM_UNITS), this.#language))
  }
}

/**
 * Returns a 15-bit number of the first three letters of an ASCII word, ignoring case. A missing letter is 0. Different
 * beginnings may share a number, because digits fall on the numbers of letters.
 */
function beginningOf(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31)
}

/** Returns the end of the run of one script that begins at `start`, by the tokenizer's rules. */
function endOfRun(text: string, start: number, group: number): number {
  let at = start
  while (at < text.length) {
    const charClass = classAt(text, at)
    if (charClass !== group && charClass !== SKIPPED && charClass !== STRIPPED) break
    at += sizeAt(text, at)
  }
  return at
}
