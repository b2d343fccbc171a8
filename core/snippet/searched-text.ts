import type { TermMatch, TermScanner } from '../text/terms/term-scanner.ts'
import { type TextRange, widen } from './excerpt.ts'
import type { MatchList, MatchSpan } from './passages.ts'
import { type ScannedPhrases, shownMatches } from './phrase-matches.ts'

/** A text with the places where it matches a query. */
export interface SearchedText {
  /** Number of UTF-16 units. */
  readonly length: number
  /** Where this text begins in the text of the page, UTF-16 units. It is 0 unless the text of the page is very long. */
  readonly start: number
  /** The beginning of the text, longer than any snippet. */
  readonly beginning: string
  /** The matches from which passages are chosen. */
  readonly matches: MatchList
  /** Returns the range of the text from a passage's first match to its last. */
  rangeOf(passage: MatchSpan): TextRange
  /** All matches with their places, if they are known because the text was scanned. */
  readonly scanned?: readonly TermMatch[]
  /** Returns the matches in a range of the text, in offsets of the range. */
  matchesIn(range: TextRange): readonly TermMatch[]
  slice(range: TextRange): string
  /** Widens a range, see the function {@link widen}. */
  widen(core: TextRange, limit: number, bounds: TextRange): TextRange
}

/** A query as it is looked for in one text. */
export interface TextQuery {
  /** Finds the terms of the query. */
  scanner: TermScanner
  /** The quoted phrases of the query. Undefined if it has none. */
  phrases?: ScannedPhrases | undefined
  /** The language in which the text was analyzed, ISO 639-1; '' if unknown. */
  language: string
}

/** A text that the scanner reads. */
export class ScannedText implements SearchedText {
  readonly beginning: string
  readonly scanned: readonly TermMatch[]
  readonly matches: MatchList
  readonly #query: TextQuery
  readonly #shown: readonly TermMatch[]
  readonly #startOf: () => number

  /**
   * @param found - the matches in the text. Default: they are looked for.
   * @param startOf - returns where the text begins in that of the page. Default: the texts begin together.
   */
  constructor(
    text: string,
    query: TextQuery,
    found: readonly TermMatch[] = query.scanner.scan(text, query.language),
    startOf = () => 0,
  ) {
    this.beginning = text
    this.#startOf = startOf
    this.#query = query
    this.scanned = found
    this.#shown = shownMatches([found], query.phrases)[0]!
    this.matches = matchList(this.#shown)
  }

  rangeOf({ first, last }: MatchSpan): TextRange {
    const matches = this.#shown
    let at = 0
    while (matches[at]!.position < first) at++
    const { start } = matches[at]!
    let end = start
    for (; at < matches.length && matches[at]!.position <= last; at++) end = matches[at]!.end
    return { start, end }
  }

  matchesIn({ start, end }: TextRange): readonly TermMatch[] {
    return this.#query.scanner.scan(this.beginning.slice(start, end), this.#query.language)
  }

  get length(): number {
    return this.beginning.length
  }

  get start(): number {
    return this.#startOf()
  }

  slice({ start, end }: TextRange): string {
    return this.beginning.slice(start, end)
  }

  widen(core: TextRange, limit: number, bounds: TextRange): TextRange {
    return widen(this.beginning, core, limit, bounds)
  }
}

function matchList(matches: readonly TermMatch[]): MatchList {
  return {
    count: matches.length,
    positions: matches.map(({ position }) => position),
    terms: matches.map(({ term }) => term),
  }
}
