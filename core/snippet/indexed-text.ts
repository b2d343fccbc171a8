import { lowerBound } from '../bytes/binary-search.ts'
import { endingAt, type Place, placeOf, positionOf } from '../segment/positions/place.ts'
import type { PositionBuffer } from '../segment/positions/positions-codec.ts'
import { NOT_AS_WRITTEN } from '../text/languages/english-endings.ts'
import { mayEndJoined } from '../text/terms/joined-words.ts'
import { hasStems } from '../text/terms/language-terms.ts'
import { isSpelledOut } from '../text/terms/spelled-out.ts'
import { MAX_PLACES, type TermMatch } from '../text/terms/term-scanner.ts'
import { WordOffsets } from '../text/terms/word-offsets.ts'
import { type CountedPieces, CountedText } from './counted-text.ts'
import { type TextRange, widen } from './excerpt.ts'
import type { MatchSpan } from './passages.ts'
import { shownMatches } from './phrase-matches.ts'
import type { SearchedText, TextQuery } from './searched-text.ts'
import { endOfPart, isSearchedAround, pieceNear, type SnippetText } from './text-parts.ts'

/** The words of a text, with the positions of terms that the index has for the text. */
export interface IndexedWords extends CountedPieces {
  /** The position that the first word of the text has in the index. */
  firstPosition: number
  /** Reads the places of a term in the capture into `out`, ascending. Returns false if the capture does not contain the term. */
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
/** Number of units beyond the limit of a passage that are read to see whether a sentence ends. */
const MARGIN = 1024
/** Number of units that are longer than any snippet. */
const BEGINNING_UNITS = 16 * 1024

/** Memory for the starts and ends of words. */
let edges = new Uint32Array(512)

/**
 * A text in which the terms of a query are found by their positions in the index, so that only the words around passages are read. The
 * matches are those that the scanner finds.
 */
export class IndexedText implements SearchedText {
  readonly matches: Matches
  readonly start: number
  readonly #all: Matches
  readonly #text: CountedText
  readonly #query: TextQuery
  readonly #symbols: ReadonlySet<number>

  /**
   * Returns the first part of a text that has a match, or the first part if none has one. Undefined if the text has to be scanned, because
   * the index may not have just the matches of the scanner, or because scanning is faster.
   *
   * @throws ASOF_STORE_CORRUPT
   */
  static of(
    text: SnippetText,
    {
      indexed: indexedOf,
      firstMatch,
    }: { indexed: () => IndexedWords | undefined; firstMatch: () => number | undefined },
    query: TextQuery,
  ): IndexedText | undefined {
    const { scanner, phrases, language } = query
    const { count } = text
    // For a word that matches by its stem in its language, the scanner reports another ending than the index.
    const stems = hasStems(language)
    const isShort = count === 0 || (count === 1 && !stems && text.piece(0).length < MIN_UNITS)
    if (scanner.hasPatterns || (phrases && stems) || isShort) return undefined
    const indexed = indexedOf()
    if (!indexed) return undefined
    const terms = [...scanner.terms, ...scanner.symbols]
    // The scanner finds words without their umlauts in texts of all languages, and the index has them in some languages only.
    const isSpelled = !isSpelledOut(language) && terms.some(([term]) => SPELLED_PAIR.test(term))
    if (isSpelled && indexed.counts.hasSpelledOut) return undefined
    const places = terms.flatMap(([term, index]) => placesOf(term, index, indexed) ?? [])
    const { units, words } = indexed.counts
    const wordsBefore = [0]
    for (const [index, number] of words.entries()) wordsBefore.push(wordsBefore[index]! + number)
    const listsIn = (from: number, to: number): PlaceList[] => {
      const first = placeOf(indexed.firstPosition + wordsBefore[from]!, 0)
      const end = placeOf(indexed.firstPosition + wordsBefore[to]!, 0)
      return places.flatMap(list => between(list, first, end) ?? [])
    }
    const partOf = (from: number, to: number, lists: PlaceList[]): IndexedText | undefined => {
      const part = new CountedText(indexed, from, to)
      const matches = merged(lists, indexed.firstPosition + wordsBefore[from]!, {
        maxScans: part.length / UNITS_A_SCAN,
        scan: word => matchesAt(word, part, query),
      })
      const start = units.slice(0, from).reduce((sum, number) => sum + number, 0)
      return matches && new IndexedText(part, query, { matches, start })
    }
    const endOf = (from: number): number => endOfPart(from, count, index => units[index]!)
    if (isSearchedAround(count)) {
      const place = firstMatch()
      const near = place === undefined ? undefined : pieceNear(place, count, i => listsIn(i, i + 1).length > 0)
      return near === undefined ? partOf(0, 1, []) : partOf(near, endOf(near), listsIn(near, endOf(near)))
    }
    for (let from = 0; from < count; from = endOf(from)) {
      const lists = listsIn(from, endOf(from))
      if (lists.length > 0) return partOf(from, endOf(from), lists)
    }
    return partOf(0, endOf(0), [])
  }

  private constructor(text: CountedText, query: TextQuery, { matches, start }: { matches: Matches; start: number }) {
    this.#text = text
    this.start = start
    this.#query = query
    this.#symbols = new Set(query.scanner.symbols.values())
    this.#all = matches
    this.matches = matches.firstOfEach(MAX_PLACES).shown(query.phrases)
  }

  get length(): number {
    return this.#text.length
  }

  get beginning(): string {
    return this.#text.around({ start: 0, end: 0 }, BEGINNING_UNITS).text
  }

  slice({ start, end }: TextRange): string {
    return this.#text.slice(start, end)
  }

  widen(core: TextRange, limit: number, bounds: TextRange): TextRange {
    // What is farther away than the limit does not count, except that a sentence may end with many closing quotation marks.
    const { text, start: from } = this.#text.around(core, limit + MARGIN)
    const near = { start: Math.max(0, bounds.start - from), end: Math.min(text.length, bounds.end - from) }
    const { start, end } = widen(text, { start: core.start - from, end: core.end - from }, limit, near)
    return { start: start + from, end: end + from }
  }

  rangeOf({ first, last }: MatchSpan): TextRange {
    const { positions, terms, endings, count } = this.matches
    const from = lowerBound(positions, count, first)
    const to = lowerBound(positions, count, last + 1) - 1
    this.#readEdges(first, last + 1)
    const { start } = this.#range(first, { term: terms[from]!, ending: endings[from]!, edge: 0 })
    const { end } = this.#range(last, { term: terms[to]!, ending: endings[to]!, edge: 2 * (last - first) })
    return { start, end }
  }

  matchesIn(range: TextRange): readonly TermMatch[] {
    const text = this.#text
    const { positions, terms, endings, count } = this.#all
    const from = lowerBound(positions, count, text.wordFrom(range.start))
    const to = lowerBound(positions, count, text.wordFrom(range.end))
    // A part of a word does not match as the word does.
    if (!isCut(text, range.start) || !isCut(text, range.end) || to - from > MAX_PLACES)
      return this.#query.scanner.scan(this.slice(range), this.#query.language)
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
    this.#text.readEdges(from, to, edges)
  }

  /** Returns the range of a match. @param edge - index of the start of its word among the {@link edges}. */
  #range(word: number, { term, ending, edge }: { term: number; ending: number; edge: number }): TextRange {
    const start = edges[edge]!
    const end = edges[edge + 1]!
    // Joined words begin before the word that they end with, and a form with symbols does not end with its word.
    const mayBeLonger =
      this.#symbols.has(term) ||
      (ending === NOT_AS_WRITTEN && start > 0 && mayEndJoined(unitAt(this.#text, start - 1), end - start))
    if (!mayBeLonger) return { start, end }
    return matchesAt(word, this.#text, this.#query).find(match => match.term === term) ?? { start, end }
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

function placesOf(term: string, index: number, { places }: IndexedWords): PlaceList | undefined {
  const buffer = { count: 0, values: new Uint32Array(32) }
  return places(term, buffer) ? { term: index, places: buffer.values, at: 0, to: buffer.count } : undefined
}

/** Returns the places of a list from `first` to before `end`. Undefined if the list has no place there. */
function between({ term, places, to: count }: PlaceList, first: Place, end: Place): PlaceList | undefined {
  const at = lowerBound(places, count, first)
  const to = lowerBound(places, count, end)
  return at < to ? { term, places, at, to } : undefined
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
        ending = endingAt(list.places[list.at]!)
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
function matchesAt(word: number, text: CountedText, query: TextQuery): TermMatch[] {
  const at = new Uint32Array(2)
  text.readEdges(word, word + 1, at)
  const range = { start: at[0]!, end: at[1]! }
  const near = text.around(range, UNITS_AROUND)
  const [start, end] = [range.start - near.start, range.end - near.start]
  let [from, to] = [start, end]
  while (start - from < UNITS_AROUND && !isCutAt(near.text, from)) from--
  while (to - end < UNITS_AROUND && !isCutAt(near.text, to)) to++
  const around = near.text.slice(from, to)
  const position = WordOffsets.of(around)?.from(start - from)
  const offset = near.start + from
  return query.scanner
    .scan(around, query.language)
    .filter(match => match.position === position)
    .map(match => ({ ...match, start: match.start + offset, end: match.end + offset }))
}

function unitAt(text: CountedText, at: number): number {
  const near = text.around({ start: at, end: at }, 0)
  return near.text.charCodeAt(at - near.start)
}

/** True if no word, and no form with symbols, extends across an offset. */
function isCut(text: CountedText, at: number): boolean {
  if (at === 0 || at === text.length) return true
  const near = text.around({ start: at, end: at }, 1)
  return isCutAt(near.text, at - near.start)
}

function isCutAt(text: string, at: number): boolean {
  return at === 0 || at === text.length || isSpace(text.charCodeAt(at - 1)) || isSpace(text.charCodeAt(at))
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a
}
