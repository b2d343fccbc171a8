import type { TermMatch } from '../text/terms/term-scanner.ts'
import type { TextRange } from './excerpt.ts'
import type { MatchSpan } from './passages.ts'
import { shownMatches } from './phrase-matches.ts'
import type { SearchedText } from './searched-text.ts'
import { partWithMatch, type SnippetQuery, type SnippetSource } from './snippet.ts'

/** Length of a range of a text, in words: about a paragraph. */
const SPAN = 60
/** Maximum number of ranges of a text. */
const MAX_SPANS = 12
/** Share of its weight that each further occurrence of a term in a range adds. */
const REPEATED = 0.1

/** Where the terms of a query are in a page. It is plain data, so that it can be sent to another thread. */
export interface MatchedPlaces {
  /** Where each match begins in the plain text of the page, UTF-16 units; ascending. */
  starts: number[]
  /** The term of each match. */
  terms: number[]
  /** The terms that the title has. */
  inTitle: number[]
  /** The weight of each term in the index as of the instant. */
  weights: readonly number[]
}

/**
 * Returns where the terms of a query are in a page. Of a long text, only the places are returned where most of them are. Of a text of over
 * 262,144 UTF-16 units, only the part is read that a snippet would be made from.
 */
export function matchedPlaces(
  source: SnippetSource,
  title: string,
  { weights, ...query }: SnippetQuery,
): MatchedPlaces {
  const language = source.language ?? ''
  const part = partWithMatch(source, { ...query, language })
  const found = part.scanned ?? bestRanges(part, weights).flatMap(range => matchesWithin(part, range))
  const shown = shownMatches([found], query.phrases)[0] ?? []
  const places = shown.toSorted((a, b) => a.start - b.start)
  return {
    starts: places.map(({ start }) => part.start + start),
    terms: places.map(({ term }) => term),
    inTitle: [...new Set(query.scanner.scan(title, language).map(({ term }) => term))],
    weights,
  }
}

/** Returns the matches in a range of a text, in offsets of the text. */
function matchesWithin(text: SearchedText, range: TextRange): TermMatch[] {
  return text
    .matchesIn(range)
    .map(match => ({ ...match, start: match.start + range.start, end: match.end + range.start }))
}

/** Returns the ranges of a text with the most weight of terms, which do not overlap. */
function bestRanges(text: SearchedText, weights: readonly number[]): TextRange[] {
  const { count, positions, terms } = text.matches
  const spans: (MatchSpan & { score: number })[] = []
  const inSpan = new Int32Array(weights.length)
  let score = 0
  let last = 0
  for (let first = 0; first < count; first++) {
    for (; last < count && positions[last]! < positions[first]! + SPAN; last++)
      score += weights[terms[last]!]! * (inSpan[terms[last]!]!++ === 0 ? 1 : REPEATED)
    spans.push({ first: positions[first]!, last: positions[last - 1]!, score })
    score -= weights[terms[first]!]! * (--inSpan[terms[first]!]! === 0 ? 1 : REPEATED)
  }
  spans.sort((a, b) => b.score - a.score || a.first - b.first)
  const best: MatchSpan[] = []
  for (const { first, last } of spans) {
    if (best.length === MAX_SPANS) break
    if (!best.some(other => first <= other.last && other.first <= last)) best.push({ first, last })
  }
  return best.map(passage => text.rangeOf(passage))
}
