import { isHighSurrogate, isLowSurrogate, isSurrogate } from '@asof/extract/characters'
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

import { analyzer } from '../languages/analyzers.ts'
import { NOT_AS_WRITTEN } from '../languages/english-endings.ts'
import { isHan } from '../languages/script-census.ts'
import { endOfJoined, joinedWords, mayBeginJoined } from './joined-words.ts'
import { hasStems, languageStem } from './language-terms.ts'
import { spelledOut } from './spelled-out.ts'
import { symbolForms, wordOfSymbol } from './symbols.ts'
import { stemTerm } from './term-interner.ts'
import { type BigramSink, classAt, scanBigrams, sizeAt, unitsOfRun } from './tokens.ts'
import { copiedUnits, edges, edgesEnd, edgesOf, MAX_EDGES } from './word-edges.ts'
import { foldToTerm, MAX_TERM_UNITS } from './word-term.ts'

/** One occurrence of a term in a text. */
export interface TermMatch {
  /**
   * Index of the matched term in the scanner's list. For a pattern: the length of that list plus the index of the
   * pattern.
   */
  term: number
  /** Number of words before the match. In scripts without spaces, each character counts as a word. */
  position: number
  /** UTF-16 offsets `[start, end)` in the text. */
  start: number
  end: number
  /** Number of the ending with which the word is written there; `endingOf` computes it. */
  ending: number
}

/** A rule for the terms to find, such as a wildcard. */
export interface ScannedPattern {
  /** Every matching term begins with one of these prefixes. */
  beginnings: readonly string[]
  matches(term: string): boolean
}

/** Maximum number of occurrences reported for each term. It is enough to find the best passages of any text. */
export const MAX_PLACES = 1000
/** The ASCII marks between {@link joinedWords}. A word before a non-ASCII hyphen is skipped only if no term begins with its first letter. */
const JOINING_MARKS = [0x2d, 0x2e]
/** Maximum number of cached words for each language. */
const MAX_WORDS = 10_000
/** Marks a word without a term to find. */
const NONE = -1
const NOT_FOUND: FoundWord = { term: NONE, ending: 0 }
/** Factor of the first character in the key of a bigram, which is `first * PAIR_BASE + second`. */
const PAIR_BASE = 0x110000

/** The index of the term or pattern that a word matches ({@link NONE} if it matches nothing), and the number of the word's ending. */
interface FoundWord {
  term: number
  ending: number
}

/**
 * Finds a few given terms in texts, in the same places as the tokenizer, but many times faster. It skips words whose
 * first letters begin no given term. This is exact, because a term begins with the same letters as its word: folding
 * works letter by letter, and English stemming changes the end.
 */
export class TermScanner {
  readonly #terms = new Map<string, number>()
  readonly #symbols = new Map<string, number>()
  /**
   * Index of each given term in a script without spaces: a bigram or a single character. The key is `first * PAIR_BASE + second`, where
   * `second` is 0 for a single character.
   */
  readonly #bigrams = new Map<number, number>()
  /** Receives the bigrams of a text. Undefined if no given term can be a bigram. */
  readonly #sink: BigramSink | undefined
  /** The cached words of each language. */
  readonly #words: Map<string, Map<string, FoundWord>>
  /** The cached words for the language of the current text. */
  #known = new Map<string, FoundWord>()
  /** The language of the current text, if it has stems; otherwise ''. */
  #language = ''
  /** The current text. */
  #text = ''
  /** Offset after the last single character that was looked up. */
  #singleEnd = -1
  readonly #number = ++scanners
  /** The given terms. Of a term with symbols, such as `c++`, its word: it is found when its word is. */
  readonly #given: readonly string[]
  readonly #patterns: readonly ScannedPattern[]
  /** For each term and pattern, the number of occurrences found in the current text. */
  readonly #places: Uint32Array
  #matches: TermMatch[] = []
  /** True if joined words were found in the current text. Then the matches are not in order. */
  #hasJoined = false

  constructor(terms: readonly string[], patterns: readonly ScannedPattern[] = []) {
    this.#places = new Uint32Array(terms.length + patterns.length)
    this.#patterns = patterns
    this.#words = new Map([[this.#language, this.#known]])
    this.#given = terms.map((given, index) => {
      const word = wordOfSymbol(given)
      if (word !== '') {
        this.#symbols.set(given, index)
        return word
      }
      this.#terms.set(given, index)
      if (classAt(given, 0) >= FIRST_BIGRAM) {
        const [first = 0, second = 0] = Array.from(given, char => char.codePointAt(0) ?? 0)
        this.#bigrams.set(first * PAIR_BASE + second, index)
      }
      return given
    })
    const mayBeginBigram = (beginning: string): boolean => classAt(beginning, 0) >= FIRST_BIGRAM
    if (this.#bigrams.size > 0 || patterns.some(({ beginnings }) => beginnings.some(mayBeginBigram))) {
      const hasSingles = patterns.length > 0 || [...this.#bigrams.keys()].some(key => key % PAIR_BASE === 0)
      this.#sink = {
        bigram: (first, second, position, start, end) => {
          if (firsts[first & 255] === mark || first > 0xffff)
            this.#note(this.#bigramOf(first, second), position, start, end)
          if (hasSingles) this.#noteSingles(first, second, position, start, end)
        },
        single: (codePoint, position, start, end) => this.#note(this.#bigramOf(codePoint, 0), position, start, end),
      }
    }
  }

  /** Index of each term without symbols. */
  get terms(): ReadonlyMap<string, number> {
    return this.#terms
  }

  /** Index of each term with symbols, such as `c++`. */
  get symbols(): ReadonlyMap<string, number> {
    return this.#symbols
  }

  get hasPatterns(): boolean {
    return this.#patterns.length > 0
  }

  #bigramOf(first: number, second: number): number {
    const index = this.#bigrams.get(first * PAIR_BASE + second)
    if (index !== undefined || this.#patterns.length === 0) return index ?? NONE
    return this.#patternOf(second === 0 ? String.fromCodePoint(first) : String.fromCodePoint(first, second))
  }

  /** Looks up each Chinese character of a pair. A character that is in two pairs is reported once. */
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

  /**
   * Returns the occurrences of the given terms in a text, ascending by position, at most {@link MAX_PLACES} of each.
   *
   * @param language - the language in which the text was analyzed, ISO 639-1. Default: unknown.
   */
  scan(text: string, language = ''): TermMatch[] {
    const stemmed = hasStems(language) ? language : ''
    if (stemmed !== this.#language) {
      this.#language = stemmed
      this.#known = this.#words.get(stemmed) ?? new Map<string, FoundWord>()
      this.#words.set(stemmed, this.#known)
    }
    // In a language with stems, a stem may begin with other letters than its word. So no word can be skipped.
    const anyMayMatch = this.#language !== ''
    const matches: TermMatch[] = []
    this.#matches = matches
    this.#text = text
    this.#singleEnd = -1
    this.#hasJoined = false
    this.#places.fill(0)
    const { length } = text
    if (marked !== this.#number) {
      marked = this.#number
      markBeginnings(this.#given, this.#patterns)
    }
    const units = copiedUnits(text)
    let position = 0
    let at = 0
    while (at < length) {
      // The separator behind the text ends its last word.
      const count = edgesOf(units, at, Math.min(length + 1, at + MAX_EDGES))
      for (let edge = 1; edge < count; edge += 2) {
        const start = edges[edge - 1]!
        if (anyMayMatch || this.#mayBeginWith(units[start]!, units[start + 1]!, units[start + 2]!))
          this.#noteWord(text, start, edges[edge]!, position, true)
        position++
      }
      at = edgesEnd
      if (at >= length) break
      const start = at
      const charClass = classAt(text, at)
      if (charClass === WORD) at = this.#word(text, start, position++)
      else if (charClass >= FIRST_BIGRAM && this.#sink) {
        at = scanBigrams(text, at, charClass, this.#sink, position)
        position += unitsOfRun
      } else if (charClass >= FIRST_BIGRAM) {
        at = endOfRun(text, at, charClass)
        position += at - start
      } else at += charClass !== SEPARATOR && isHighSurrogate(units[at]!) ? 2 : 1
    }
    if (this.#hasJoined) matches.sort((a, b) => a.position - b.position)
    return matches
  }

  /** Looks up the word at `start`. Returns the offset after the word. */
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
      this.#noteWord(text, start, end, position, end === at && unitClasses[text.charCodeAt(at)] !== SURROGATE)
    return at
  }

  /** True if a given term may begin with this unit. */
  #mayBegin(unit: number): boolean {
    if (unit < 128) return firsts[unit | 32] === mark
    // A unit that folds to several units, and half of a surrogate pair, may begin any term.
    const folded = isSurrogate(unit) ? 0 : unitFolds[unit]!
    return folded === 0 || firsts[folded & 255] === mark
  }

  #note(term: number, position: number, start: number, end: number, ending = 0): void {
    if (term !== NONE && this.#places[term]!++ < MAX_PLACES) this.#matches.push({ term, position, start, end, ending })
  }

  /**
   * True if a given term may belong to a word with these first units. If the word has only one or two letters, the units after it may
   * be passed, because a term of one or two letters is marked with all possible further letters.
   */
  #mayBeginWith(first: number, second: number, third: number): boolean {
    if ((first | second | third) < 128) return beginnings[beginningOf(first, second, third)] === mark
    return this.#mayBegin(first)
  }

  /**
   * Looks up a word.
   *
   * @param mayHaveSymbols - false if ignored characters or a surrogate pair follow the word. The tokenizer then makes no
   *   terms with symbols, such as `C++`. It makes none of words that are not ASCII either.
   */
  #noteWord(text: string, start: number, end: number, position: number, mayHaveSymbols: boolean): void {
    const { term, ending } = this.#found(text.slice(start, end))
    this.#note(term, position, start, end, ending)
    if (!mayHaveSymbols || !isAscii(text, start, end)) return
    if (this.#symbols.size > 0) this.#noteSymbols(text, start, end, position)
    if (mayBeginJoined(text, end)) this.#noteJoined(text, start, end, position)
  }

  /** Reports the given term of words that begin with `text[start, end)`, joined: `plugin` for `plug-in`. */
  #noteJoined(text: string, start: number, end: number, position: number): void {
    const last = endOfJoined(text, start, end)
    if (!last) return
    const joined = joinedWords(text, last.start, last.end)
    if (joined?.start !== start) return
    const term = stemTerm(joined.word)
    const index = this.#terms.get(term) ?? this.#patternOf(term)
    if (index === NONE) return
    this.#hasJoined = true
    this.#note(index, position + last.words - 1, start, last.end, NOT_AS_WRITTEN)
  }

  /** Reports the given terms with symbols, such as `C++`, that contain the word `text[start, end)`. */
  #noteSymbols(text: string, start: number, end: number, position: number): void {
    for (const form of symbolForms(text, start, end))
      this.#note(this.#symbols.get(form.term) ?? NONE, position, form.start, form.end)
  }

  /** Returns the index of the first pattern that a term matches; {@link NONE} if there is none. */
  #patternOf(term: string): number {
    const at = this.#patterns.findIndex(pattern => pattern.matches(term))
    return at < 0 ? NONE : this.#places.length - this.#patterns.length + at
  }

  #found(word: string): FoundWord {
    const known = this.#known.get(word)
    if (known !== undefined) return known
    const folded = foldToTerm(word)
    const stem = stemTerm(folded)
    const term = this.#ofStem(word) ?? this.#terms.get(stem) ?? this.#ofSpelledOut(word) ?? this.#patternOf(stem)
    const found = term === NONE ? NOT_FOUND : { term, ending: analyzer.endingOf(folded, stem) }
    if (this.#known.size < MAX_WORDS && word.length <= MAX_TERM_UNITS) this.#known.set(word, found)
    return found
  }

  #ofSpelledOut(word: string): number | undefined {
    const spelled = spelledOut(word)
    return spelled === '' ? undefined : this.#terms.get(stemTerm(foldToTerm(spelled)))
  }

  #ofStem(word: string): number | undefined {
    if (this.#language === '') return undefined
    return this.#terms.get(languageStem(word, this.#language))
  }
}

function isAscii(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text.charCodeAt(at) > 127) return false
  return true
}

/**
 * Returns a number of 15 bits for the first three letters of an ASCII word, in any case. A missing letter is 0. A digit
 * has the same bits as some letter, so different beginnings may have the same number.
 */
function beginningOf(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31)
}

/**
 * For each number that {@link beginningOf} returns, {@link mark} if an ASCII word with this beginning may match. Most words are ASCII. The
 * table is that of the scanner which scanned last, because a new table for each scanner takes longer than scanning ten titles.
 */
const beginnings = new Uint8Array(1 << 15)
/** {@link mark} if a term of the same scanner may begin with a folded unit that has this low byte. */
const firsts = new Uint8Array(256)
/** What marks the entries of the scanner that scanned last. Each scanner has another mark, so that the tables are cleared only seldom. */
let mark = 0
/** Number of the scanner whose terms are marked in {@link beginnings} and {@link firsts}. */
let marked = 0
/** Number of scanners that were made. */
let scanners = 0

/** Marks the beginnings of all words that can have one of the terms, or a term that a pattern matches. @param terms - without symbols. */
function markBeginnings(terms: readonly string[], patterns: readonly ScannedPattern[]): void {
  mark = (mark + 1) & 255
  if (mark === 0) {
    beginnings.fill(0)
    firsts.fill(0)
    mark = 1
  }
  for (const term of terms) {
    markFirst(term)
    const first = term.charCodeAt(0)
    const second = term.charCodeAt(1) || 0
    const third = term.charCodeAt(2)
    // A stem of four or more letters begins with the first three letters of its words. In shorter stems the third letter
    // can differ from that of the word (`fli` from `fly`). In stems of one letter, and in some like `die` (from `dying`),
    // the second letter can differ too.
    if (term.length > 3) beginnings[beginningOf(first, second, third)] = mark
    else if (term.length > 1) markAfter(first, second)
    else markAll(first)
    if (term.length === 3 && term.endsWith('ie')) markAfter(first, 0x79)
    // A mark may be the second or the third unit of joined words (`e-mail`, `wi-fi`).
    for (const joining of JOINING_MARKS) {
      markAfter(first, joining)
      beginnings[beginningOf(first, second, joining)] = mark
    }
  }
  // Stemming may have changed every letter but the first.
  for (const pattern of patterns)
    for (const beginning of pattern.beginnings) {
      markFirst(beginning)
      markAll(beginning.charCodeAt(0))
    }
}

function markFirst(term: string): void {
  // A text may contain the term's first character in decomposed form, as a base and a mark. So all bases are marked too.
  for (let form = term.codePointAt(0) ?? 0; form > 0; form = baseOf(form))
    firsts[(form < 0x10000 ? form : term.charCodeAt(0)) & 255] = mark
}

function markAfter(first: number, second: number): void {
  beginnings.fill(mark, beginningOf(first, second, 0), beginningOf(first, second, 31) + 1)
}

function markAll(first: number): void {
  beginnings.fill(mark, beginningOf(first, 0, 0), beginningOf(first, 31, 31) + 1)
}

/** Returns the end of the run of one script that begins at `start`, as the tokenizer finds it. */
function endOfRun(text: string, start: number, group: number): number {
  let at = start
  while (at < text.length) {
    const charClass = classAt(text, at)
    if (charClass !== group && charClass !== SKIPPED && charClass !== STRIPPED) break
    at += sizeAt(text, at)
  }
  return at
}
