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
import { isHan } from '../languages/script-census.ts'
import { hasStems, languageStem } from './language-terms.ts'
import { symbolForms, wordOfSymbol } from './symbols.ts'
import { MAX_TERM_UNITS, stemmed } from './term-interner.ts'
import { type BigramSink, classAt, scanBigrams, sizeAt, unitsOfRun } from './tokens.ts'

/** Where a term stands in a text. */
export interface TermMatch {
  /** Index of the term among those looked for; behind those, of the pattern. */
  term: number
  /** Counts the words of the text; in scripts without spaces, its characters. */
  position: number
  /** UTF-16 offsets `[start, end)`. */
  start: number
  end: number
}

/** Terms to be found that are known by a rule rather than each by its name. */
export interface ScannedPattern {
  /** Each of its terms begins with one of these. */
  beginnings: readonly string[]
  matches(term: string): boolean
}

/** Places of one term that are noted: enough to find the best passages of any text. */
const MAX_PLACES = 1000
/** Words remembered at a time. */
const MAX_WORDS = 10_000
const NONE = -1
/** Two code points as one number: `first * PAIR_BASE + second`. */
const PAIR_BASE = 0x110000

/**
 * Finds a few terms in texts, exactly where the tokenizer would, but many times faster: a word whose first letters
 * begin no term is only stepped over. A term begins as the word does that it is made of: folding goes letter by letter
 * and stemming takes from the end.
 */
export class TermScanner {
  readonly #terms = new Map<string, number>()
  /** Terms that are forms with symbols. */
  readonly #symbols = new Map<string, number>()
  /** By the low byte of a folded unit, whether any term may be made of a word that begins with it. */
  readonly #firsts = new Uint8Array(256)
  /** The same by {@link beginningOf} ASCII words, which are most of a text. */
  readonly #beginnings = new Uint8Array(1 << 15)
  /** Terms of two characters of a script written without spaces. */
  readonly #bigrams = new Map<number, number>()
  /** Takes the bigrams of such scripts; undefined when no term is of these. */
  readonly #sink: BigramSink | undefined
  /** By language, the index of the term of words met before, {@link NONE} for none. */
  readonly #words = new Map<string, Map<string, number>>()
  /** Those of the language of the text in hand. */
  #known = new Map<string, number>()
  /** The language of the text in hand, if it has stems. */
  #language = ''
  /** The text in hand. */
  #text = ''
  /** Where the character ended that was last looked at by itself. */
  #singleEnd = -1
  readonly #patterns: readonly ScannedPattern[]
  readonly #places: Uint32Array
  #matches: TermMatch[] = []

  constructor(terms: readonly string[], patterns: readonly ScannedPattern[] = []) {
    this.#places = new Uint32Array(terms.length + patterns.length)
    this.#patterns = patterns
    terms.forEach((given, index) => {
      const word = wordOfSymbol(given)
      // A form with symbols is looked for at one of its words.
      const term = word || given
      if (word === '') this.#terms.set(term, index)
      else this.#symbols.set(given, index)
      this.#markFirst(term)
      this.#markBeginning(term)
      const [first, second = 0] = Array.from(term, char => char.codePointAt(0) ?? 0)
      if (classAt(term, 0) >= FIRST_BIGRAM) this.#bigrams.set(first * PAIR_BASE + second, index)
    })
    let hasBigrams = this.#bigrams.size > 0
    const hasSingles = patterns.length > 0 || [...this.#bigrams.keys()].some(key => key % PAIR_BASE === 0)
    for (const beginning of patterns.flatMap(({ beginnings }) => beginnings)) {
      this.#markFirst(beginning)
      // What follows the first letter may be anything, once folded and stemmed.
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

  /** Each Chinese character of a pair by itself; one that is of two pairs is noted once. */
  #noteSingles(first: number, second: number, position: number, start: number, end: number): void {
    const firstEnd = start + sizeAt(this.#text, start)
    if (this.#singleEnd !== firstEnd) this.#noteSingle(first, position, start, firstEnd)
    const secondStart = end - (isLowHalf(this.#text.charCodeAt(end - 1)) ? 2 : 1)
    this.#noteSingle(second, position + 1, secondStart, end)
  }

  #noteSingle(codePoint: number, position: number, start: number, end: number): void {
    this.#singleEnd = end
    if (isHan(codePoint)) this.#note(this.#bigramOf(codePoint, 0), position, start, end)
  }

  #markFirst(term: string): void {
    // A character may stand in a text as its base and a mark, which are put together only in the term.
    for (let form = term.codePointAt(0) ?? 0; form > 0; form = baseOf(form))
      this.#firsts[(form < 0x10000 ? form : term.charCodeAt(0)) & 255] = 1
  }

  #markBeginning(term: string): void {
    const [first, second, third] = [term.charCodeAt(0), term.charCodeAt(1) || 0, term.charCodeAt(2)]
    // Of a stem of four letters or more the first three are those of its words. A shorter one may have been given its
    // last (`flies`), and one of one letter, or such as that of `dying`, its second.
    if (term.length > 3) this.#beginnings[beginningOf(first, second, third)] = 1
    else if (term.length > 1) this.#markAfter(first, second)
    else this.#beginnings.fill(1, beginningOf(first, 0, 0), beginningOf(first, 31, 31) + 1)
    if (term.length === 3 && term.endsWith('ie')) this.#markAfter(first, 0x79)
  }

  #markAfter(first: number, second: number): void {
    this.#beginnings.fill(1, beginningOf(first, second, 0), beginningOf(first, second, 31) + 1)
  }

  /**
   * Where the terms stand in a text, ascending; no more than {@link MAX_PLACES} places of each.
   *
   * @param language - the one that the text was analysed in. Default: unknown.
   */
  scan(text: string, language = ''): TermMatch[] {
    this.#language = hasStems(language) ? language : ''
    this.#known = this.#words.get(this.#language) ?? new Map()
    this.#words.set(this.#language, this.#known)
    // A stem may begin otherwise than its word, and its language be written with letters that fold to others.
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
      let charClass = unitClasses[unit]
      // The hot loop, as in the tokenizer.
      while (charClass === WORD && unit < 128) {
        if (++at === length) break
        unit = text.charCodeAt(at)
        charClass = unitClasses[unit]
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
      } else at += charClass === SEPARATOR || unit < 0xd800 || unit > 0xdbff ? 1 : 2
    }
    return matches
  }

  /** Looks at the word that begins at `start`; returns where it ends. */
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

  /** Whether a word that begins with this unit may be one of the terms. */
  #mayBegin(unit: number): boolean {
    if (unit < 128) return this.#firsts[unit | 32] === 1
    // Of a unit that folds to several, or of half a pair, only the term tells.
    const folded = unit < 0xd800 || unit > 0xdfff ? unitFolds[unit] : 0
    return folded === 0 || this.#firsts[folded & 255] === 1
  }

  #note(term: number, position: number, start: number, end: number): void {
    if (term !== NONE && this.#places[term]++ < MAX_PLACES) this.#matches.push({ term, position, start, end })
  }

  /** Notes the forms with symbols of a word that are terms. */
  #noteSymbols(text: string, start: number, end: number, position: number): void {
    for (const form of symbolForms(text, start, end))
      this.#note(this.#symbols.get(form.term) ?? NONE, position, form.start, form.end)
  }

  #patternOf(term: string): number {
    const at = this.#patterns.findIndex(pattern => pattern.matches(term))
    return at < 0 ? NONE : this.#places.length - this.#patterns.length + at
  }

  #termOf(word: string): number {
    const known = this.#known.get(word)
    if (known !== undefined) return known
    const term = stemmed(foldWord(word, MAX_TERM_UNITS))
    const index = this.#ofStem(word) ?? this.#terms.get(term) ?? this.#patternOf(term)
    if (this.#known.size < MAX_WORDS && word.length <= MAX_TERM_UNITS) this.#known.set(word, index)
    return index
  }

  #ofStem(word: string): number | undefined {
    if (this.#language === '') return undefined
    return this.#terms.get(languageStem(word.slice(0, MAX_TERM_UNITS), this.#language))
  }
}

function isLowHalf(unit: number): boolean {
  return unit >> 10 === 0x37
}

/** Numbers the first three letters of an ASCII word of either case, others falling on the same number; 0 for none. */
function beginningOf(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31)
}

/** Where the run of a script ends that begins at `start`, as the tokenizer sees it. */
function endOfRun(text: string, start: number, group: number): number {
  let at = start
  while (at < text.length) {
    const charClass = classAt(text, at)
    if (charClass !== group && charClass !== SKIPPED && charClass !== STRIPPED) break
    at += sizeAt(text, at)
  }
  return at
}
