import { type TextRange, widen } from './excerpt.ts'
import { IndexedText, type IndexedWords } from './indexed-text.ts'
import { choosePassages, type MatchSpan } from './passages.ts'
import { shownMatches } from './phrase-matches.ts'
import { ScannedText, type SearchedText, type TextQuery } from './searched-text.ts'
import { endOfPart, isSearchedAround, pieceNear, type SnippetText } from './text-parts.ts'

/** The passage of a page that answers the query best, as plain text. */
export interface Snippet {
  /** Plain text. Empty if the option `snippetMaxLength` is 0. */
  text: string
  /** The matching parts of `text`, as UTF-16 ranges `[start, end)`, ascending, with gaps between them. */
  highlights: [start: number, end: number][]
}

/** The content of the capture from which a snippet is made. */
export interface SnippetSource {
  /** The plain text of the page. */
  text: SnippetText
  /**
   * Returns what the index knows of the words of the text. Undefined if the text has to be scanned. Default: every text is scanned.
   */
  indexed?: () => IndexedWords | undefined
  /**
   * Returns the approximate place of the first match in the text, as a share of the text from 0 to 1. Undefined if nothing in the text matches.
   * Called only for a long text.
   */
  firstMatch: () => number | undefined
  /** The language in which the text was analyzed, ISO 639-1. Default: unknown. */
  language?: string
  /** Returns the texts of the page's fields, which are searched too. Called only if nothing in the text matches. Default: no texts. */
  furtherTexts?: () => readonly string[]
  /** Returns the description of the page. Called only if nothing in the texts matches. */
  description: () => string | undefined
}

export interface SnippetQuery extends Omit<TextQuery, 'language'> {
  /** The weight of each term. */
  weights: readonly number[]
}

type TextHighlights = Snippet['highlights']

const JOINER = ' … '
/** Maximum number of passages in a snippet. */
const MAX_PASSAGES = 3
/** Minimum length of a passage if a snippet has several, characters. It is about a line. */
const MIN_PASSAGE_CHARS = 90
/**
 * Makes the snippet of a result: the passages that show the terms of the query best, with the ranges of the matched
 * words. If nothing in the text matches, the snippet is made from the first further text with a match. Without one, it is the
 * description of the page or the beginning of the text.
 *
 * @param limit - maximum length of the snippet, characters. Passages are cut between sentences or words.
 */
export function makeSnippet(source: SnippetSource, { weights, ...query }: SnippetQuery, limit: number): Snippet {
  const textQuery = { ...query, language: source.language ?? '' }
  const most = Math.min(MAX_PASSAGES, Math.floor(limit / MIN_PASSAGE_CHARS))
  const snippetOf = (text: SearchedText): Snippet | undefined => {
    const passages = choosePassages(text.matches, weights, most)
    return passages.length === 0 ? undefined : assemble(text, rangesOf(text, passages, limit), query.phrases)
  }
  const part = partWithMatch(source, textQuery)
  const snippet = snippetOf(part)
  if (snippet) return snippet
  for (const text of source.furtherTexts?.() ?? []) {
    const further = snippetOf(new ScannedText(text, textQuery))
    if (further) return further
  }
  const opening = source.description()?.trim() || part.beginning
  const range = widen(opening, { start: 0, end: 0 }, limit, { start: 0, end: opening.length })
  return assemble(new ScannedText(opening, textQuery, []), [range], query.phrases)
}

/** Returns the ranges of the matched words in a text, such as a title: `[start, end)` in UTF-16 units, with gaps between them. */
export function highlightsOf(text: string, { scanner, phrases }: SnippetQuery, language?: string): TextHighlights {
  const matches = scanner.scan(text, language)
  const highlights: TextHighlights = []
  const shown = phrases ? shownMatches([matches], phrases)[0]! : matches
  for (const { start, end } of shown) addRange(highlights, start, end)
  return highlights
}

/** Returns the first part of the text that has a match. If no part has one, returns the first part. */
export function partWithMatch({ text, indexed, firstMatch }: SnippetSource, query: TextQuery): SearchedText {
  const known = indexed && IndexedText.of(text, { indexed, firstMatch }, query)
  if (known) return known
  if (isSearchedAround(text.count)) return partAround(text, firstMatch(), query)
  let beginning: SearchedText | undefined
  for (let index = 0; index < text.count; ) {
    const part = partFrom(text, index)
    const scanned = new ScannedText(part.text, query, undefined, startOf(text, index))
    if (scanned.matches.count > 0) return scanned
    beginning ??= scanned
    index = part.end
  }
  return beginning ?? new ScannedText('', query)
}

/** Returns a function that says where a piece begins in a text. It reads the pieces before. */
function startOf(text: SnippetText, piece: number): () => number {
  return () => {
    let start = 0
    for (let index = 0; index < piece; index++) start += text.piece(index).length
    return start
  }
}

/**
 * Returns the part of a long text that begins with the matching piece nearest to `place`. If no piece matches, returns
 * the first part.
 */
function partAround(text: SnippetText, place: number | undefined, query: TextQuery): SearchedText {
  const hasMatch = (index: number): boolean => query.scanner.scan(text.piece(index), query.language).length > 0
  const nearest = place === undefined ? undefined : pieceNear(place, text.count, hasMatch)
  return nearest === undefined
    ? new ScannedText(text.piece(0), query, [])
    : new ScannedText(partFrom(text, nearest).text, query, undefined, startOf(text, nearest))
}

/** Joins the pieces of the part of the text that begins with a piece. */
function partFrom(text: SnippetText, index: number): { text: string; end: number } {
  let part = ''
  const end = endOfPart(index, text.count, at => {
    const piece = text.piece(at)
    part += piece
    return piece.length
  })
  return { text: part, end }
}

/** Returns the ranges of the text to show for the passages. */
function rangesOf(searched: SearchedText, passages: readonly MatchSpan[], limit: number): TextRange[] {
  const share = Math.floor((limit - JOINER.length * (passages.length - 1)) / passages.length)
  const ranges: TextRange[] = []
  const cores = passages.map(passage => searched.rangeOf(passage))
  cores.forEach((core, i) => {
    const bounds = { start: ranges.at(-1)?.end ?? 0, end: cores[i + 1]?.start ?? searched.length }
    if (core.start < bounds.start) return
    const range = searched.widen(core, share, bounds)
    if (range.end > range.start) ranges.push(range)
  })
  return ranges
}

/** Joins ranges of the text to a snippet, and finds the matches to highlight. */
function assemble(searched: SearchedText, ranges: readonly TextRange[], phrases: TextQuery['phrases']): Snippet {
  const found = ranges.map(range => searched.matchesIn(range))
  const shown = shownMatches(found, phrases)
  let joined = ''
  const highlights: TextHighlights = []
  for (const [r, range] of ranges.entries()) {
    if (joined !== '') joined += JOINER
    for (const { start, end } of shown[r]!) addRange(highlights, joined.length + start, joined.length + end)
    joined += searched.slice(range).replaceAll('\n', ' ')
  }
  return { text: joined, highlights }
}

/** Adds a range, and merges it with the ranges that it touches. The ranges of the parts of `Node.js` come before that of the whole. */
function addRange(highlights: TextHighlights, from: number, to: number): void {
  let [start, end] = [from, to]
  for (let last = highlights.at(-1); last && start <= last[1]; last = highlights.at(-1)) {
    highlights.pop()
    start = Math.min(start, last[0])
    end = Math.max(end, last[1])
  }
  highlights.push([start, end])
}
