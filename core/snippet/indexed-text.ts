import { lowerBound } from '../bytes/binary-search.ts'
import { placeOf, positionOf } from '../segment/positions/place.ts'
import type { PositionBuffer } from '../segment/positions/positions-codec.ts'
import { ENDING_BITS, NOT_AS_WRITTEN } from '../text/languages/english-endings.ts'
import { mayEndJoined } from '../text/terms/joined-words.ts'
import { hasStems } from '../text/terms/language-terms.ts'
import { isSpelledOut } from '../text/terms/spelled-out.ts'
import { MAX_PLACES, type TermMatch } from '../text/terms/term-scanner.ts'
import { WordOffsets } from '../text/terms/word-offsets.ts'
import type { TextRange } from './excerpt.ts'
import type { Passage } from './passages.ts'
import { shownMatches } from './phrase-matches.ts'
import type { SearchedText, TextQuery } from './searched-text.ts'

/** The words of a text, and what the index knows of them. */
export interface IndexedWords {
  words: WordOffsets
  /** The position that the first word of the text has in the index. */
  firstPosition: number
  /** Reads the places of a term in the capture into `out`, ascending. Returns false if there are none. */
  places: (term: string, out: PositionBuffer) => boolean
}

/** The pairs of letters that `spelledOut` writes. */
const SPELLED_PAIR = /ae|oe|ue|aa/
/** Number of units on each side of a word that decide which terms match there: joined words and forms with symbols are shorter. */
const UNITS_AROUND = 200
/** If more words than one in this number of units have to be scanned, scanning the whole text is faster. */
const UNITS_A_SCAN = 100
/**
 * Minimum length of a text, UTF-16 units. A shorter text is scanned before the positions of three terms are read. In a language with
 * stems, all words of a text are stemmed to scan it, so even a short text takes longer.
 */
const MIN_UNITS = 4 * 1024
const LAST_ENDING = 2 ** ENDING_BITS - 1

/** Memory for the starts and ends of words. */
let edges = new Uint32Array(512)

/**
 * A text in which the terms of a query are found by their positions in the index, so that only the words around passages are read. The
 * matches are those that the scanner finds.
 */
export class IndexedText implements SearchedText {
  readonly text: string
  readonly matches: Matches
  readonly #all: Matches
  readonly #words: WordOffsets
  readonly #query: TextQuery
  readonly #symbols: ReadonlySet<number>

  /**
   * Returns undefined if the text has to be scanned, because the index may not have just the matches of the scanner, or because scanning is
   * faster.
   *
   * @throws ASOF_STORE_CORRUPT
   */
  static of(text: string, wordsOf: () => IndexedWords | undefined, query: TextQuery): IndexedText | undefined {
    const { scanner, phrases, language } = query
    // For a word that matches by its stem in its language, the scanner reports another ending than the index.
    const stems = hasStems(language)
    if (scanner.hasPatterns || (phrases && stems) || (text.length < MIN_UNITS && !stems)) return undefined
    const indexed = wordsOf()
    if (!indexed) return undefined
    const { words } = indexed
    const terms = [...scanner.terms, ...scanner.symbols]
    // The scanner finds words without their umlauts in texts of all languages, and the index has them in some languages only.
    if (!isSpelledOut(language) && terms.some(([term]) => SPELLED_PAIR.test(term)) && words.hasSpelledOut)
      return undefined
    const lists = terms.flatMap(([term, index]) => placeList(term, index, indexed) ?? [])
    const matches = merged(lists, indexed.firstPosition, {
      maxScans: text.length / UNITS_A_SCAN,
      scan: word => matchesAt(word, { text, words, query }),
    })
    return matches && new IndexedText(text, words, query, matches)
  }

  private constructor(text: string, words: WordOffsets, query: TextQuery, matches: Matches) {
    this.text = text
    this.#words = words
    this.#query = query
    this.#symbols = new Set(query.scanner.symbols.values())
    this.#all = matches
    this.matches = matches.firstOfEach(MAX_PLACES).shown(query.phrases)
  }

  rangeOf({ first, last }: Passage): TextRange {
    const { positions, terms, endings, count } = this.matches
    const from = lowerBound(positions, count, first)
    const to = lowerBound(positions, count, last + 1) - 1
    this.#readEdges(first, last + 1)
    const { start } = this.#range(first, { term: terms[from]!, ending: endings[from]!, edge: 0 })
    const { end } = this.#range(last, { term: terms[to]!, ending: endings[to]!, edge: 2 * (last - first) })
    return { start, end }
  }

  matchesIn(range: TextRange): readonly TermMatch[] {
    const { positions, terms, endings, count } = this.#all
    const from = lowerBound(positions, count, this.#words.from(range.start))
    const to = lowerBound(positions, count, this.#words.from(range.end))
    // A part of a word does not match as the word does.
    if (!isCut(this.text, range.start) || !isCut(this.text, range.end) || to - from > MAX_PLACES)
      return this.#query.scanner.scan(this.text.slice(range.start, range.end), this.#query.language)
    if (from === to) return []
    const first = positions[from]!
    this.#readEdges(first, positions[to - 1]! + 1)
    const found: TermMatch[] = []
    for (let index = from; index < to; index++) {
      const [position, term, ending] = [positions[index]!, terms[index]!, endings[index]!]
      const { start, end } = this.#range(position, { term, ending, edge: 2 * (position - first) })
      found.push({ term, position, start: start - range.start, end: end - range.start, ending })
    }
    return found
  }

  /** Reads the edges of the words from one number to another. */
  #readEdges(from: number, to: number): void {
    if (edges.length < 2 * (to - from)) edges = new Uint32Array(4 * (to - from))
    this.#words.read(from, to, edges)
  }

  /** Returns the range of a match. @param edge - index of the start of its word among the {@link edges}. */
  #range(word: number, { term, ending, edge }: { term: number; ending: number; edge: number }): TextRange {
    const start = edges[edge]!
    const end = edges[edge + 1]!
    // Joined words begin before the word that they end with, and a form with symbols does not end with its word.
    const mayBeLonger =
      this.#symbols.has(term) ||
      (ending === NOT_AS_WRITTEN && mayEndJoined(this.text.charCodeAt(start - 1), end - start))
    if (!mayBeLonger) return { start, end }
    const context = { text: this.text, words: this.#words, query: this.#query }
    return matchesAt(word, context).find(match => match.term === term) ?? { start, end }
  }
}

/** Matches ascending by position. The position of a match is the number of its word in the text. */
class Matches {
  count = 0
  readonly positions: number[] = []
  readonly terms: number[] = []
  readonly endings: number[] = []

  add(position: number, term: number, ending: number): void {
    this.positions.push(position)
    this.terms.push(term)
    this.endings.push(ending)
    this.count++
  }

  /** Returns the first matches of each term, at most `most`. */
  firstOfEach(most: number): Matches {
    if (this.count <= most) return this
    const counts: number[] = []
    return this.#filter(index => {
      const term = this.terms[index]!
      counts[term] = (counts[term] ?? 0) + 1
      return counts[term] <= most
    })
  }

  /** Returns the matches to show, see {@link shownMatches}. */
  shown(phrases: TextQuery['phrases']): Matches {
    if (!phrases) return this
    const { positions, terms, endings } = this
    const all = positions.map((position, index) => {
      return { position, term: terms[index]!, ending: endings[index]!, start: 0, end: 0 }
    })
    const shown = new Set(shownMatches([all], phrases)[0])
    return this.#filter(index => shown.has(all[index]!))
  }

  #filter(keeps: (index: number) => boolean): Matches {
    const kept = new Matches()
    for (let index = 0; index < this.count; index++)
      if (keeps(index)) kept.add(this.positions[index]!, this.terms[index]!, this.endings[index]!)
    return kept
  }
}

/** The places of a term in a text. */
interface PlaceList {
  /** The index of the term in the scanner's list. */
  term: number
  places: Uint32Array
  /** The places from index `at` to `to` are not merged yet. */
  at: number
  to: number
}

function placeList(term: string, index: number, { words, firstPosition, places }: IndexedWords): PlaceList | undefined {
  const buffer = { count: 0, values: new Uint32Array(32) }
  if (!places(term, buffer)) return undefined
  const at = lowerBound(buffer.values, buffer.count, placeOf(firstPosition, 0))
  const to = lowerBound(buffer.values, buffer.count, placeOf(firstPosition + words.count, 0))
  return at < to ? { term: index, places: buffer.values, at, to } : undefined
}

/**
 * Merges the places of all terms. Where several terms match, the word is scanned: often only one of them is found, for example a word or its
 * stem.
 *
 * @returns undefined if more than `maxScans` words would have to be scanned.
 */
function merged(
  lists: PlaceList[],
  firstPosition: number,
  { maxScans, scan }: { maxScans: number; scan: (word: number) => readonly TermMatch[] },
): Matches | undefined {
  const matches = new Matches()
  let scans = 0
  while (lists.length > 0) {
    let next = Number.POSITIVE_INFINITY
    for (const { places, at } of lists) next = Math.min(next, positionOf(places[at]!))
    let found = 0
    let term = 0
    let ending = 0
    for (let l = lists.length - 1; l >= 0; l--) {
      const list = lists[l]!
      for (; list.at < list.to && positionOf(list.places[list.at]!) === next; list.at++) {
        found++
        term = list.term
        ending = list.places[list.at]! & LAST_ENDING
      }
      if (list.at === list.to) lists.splice(l, 1)
    }
    const word = next - firstPosition
    if (found === 1) matches.add(word, term, ending)
    else if (++scans > maxScans) return undefined
    else for (const match of scan(word)) matches.add(word, match.term, match.ending)
  }
  return matches
}

/** Scans a word, with what it is written together with. Returns the matches at the word, in offsets of the text. */
function matchesAt(
  word: number,
  { text, words, query }: { text: string; words: WordOffsets; query: TextQuery },
): TermMatch[] {
  const at = new Uint32Array(2)
  words.read(word, word + 1, at)
  let [from, to] = [at[0]!, at[1]!]
  while (at[0]! - from < UNITS_AROUND && !isCut(text, from)) from--
  while (to - at[1]! < UNITS_AROUND && !isCut(text, to)) to++
  const around = text.slice(from, to)
  const position = WordOffsets.of(around)?.from(at[0]! - from)
  return query.scanner
    .scan(around, query.language)
    .filter(match => match.position === position)
    .map(match => ({ ...match, start: match.start + from, end: match.end + from }))
}

/** True if no word, and no form with symbols, extends across an offset. */
function isCut(text: string, at: number): boolean {
  return at === 0 || at === text.length || isSpace(text.charCodeAt(at - 1)) || isSpace(text.charCodeAt(at))
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a
}
