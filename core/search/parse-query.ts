import { AsofError } from '../errors.ts'
import { type QueryTerm, queryTerms } from '../text/query-terms.ts'
import { parseSite } from '../url.ts'
import { type AskedTime, askedTime } from './asked-time.ts'

/** Queries may have at most this many characters (code points). */
export const MAX_QUERY_CHARS = 2048

/** A term that scores, and how often the query says it. */
export interface ScoringTerm {
  term: string
  count: number
}

/** A word of the query that scores. */
export interface QueryWord {
  /** The number of its term among those of the query. */
  term: number
  /** Folded, but not stemmed. */
  word: string
  /** Words that follow one another in the query stand as far apart; parts of it lie far from one another. */
  position: number
}

/** Terms that must stand at the given distances from one another. One term alone is a plain condition. */
export type Phrase = { term: string; offset: number }[]

/** What a query asks for: ranked OR over `terms`, with hard conditions. */
export interface ParsedQuery {
  /** In the order of first appearance; empty when the query holds no word. */
  terms: ScoringTerm[]
  /** The words that `terms` are made of. */
  words: QueryWord[]
  phrases: Phrase[]
  excluded: Phrase[]
  sites: string[]
  excludedSites: string[]
  /** The time that the plain words ask for. */
  time?: AskedTime
}

interface Clauses {
  words: string[]
  quoted: string[]
  excluded: string[]
  sites: string[]
  excludedSites: string[]
}

const QUOTES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
])
const SPACE = /\s/

/**
 * Reads a query: plain words, "quoted phrases", -exclusions of either, `site:` and `-site:`. A quote that is never
 * closed, a lone hyphen and an empty `site:` are plain text.
 *
 * @throws ASOF_INVALID_QUERY - empty, white space alone, or over {@link MAX_QUERY_CHARS}.
 * @throws ASOF_INVALID_OPTION - a `site:` that is no domain.
 */
export function parseQuery(text: string): ParsedQuery {
  checkQueryText(text)
  const clauses = readClauses(text)
  const quoted = clauses.quoted.map(queryTerms).filter(terms => terms.length > 0)
  const words = clauses.words.join(' ')
  const plain = queryTerms(words)
  const time = askedTime(words)
  const terms = scoringTerms(plain, quoted.flat())
  return {
    terms,
    words: wordsOf([plain, ...quoted], terms),
    phrases: quoted.map(phraseOf),
    excluded: clauses.excluded
      .map(queryTerms)
      .filter(terms => terms.length > 0)
      .map(phraseOf),
    sites: clauses.sites,
    excludedSites: clauses.excludedSites,
    ...(time !== undefined && { time }),
  }
}

/**
 * @throws ASOF_INVALID_QUERY - empty, white space alone, or over {@link MAX_QUERY_CHARS}.
 */
export function checkQueryText(text: string): void {
  if (typeof text !== 'string' || text.trim() === '') throw new AsofError('ASOF_INVALID_QUERY', 'the query is empty')
  if (text.length > MAX_QUERY_CHARS && (text.length > 2 * MAX_QUERY_CHARS || [...text].length > MAX_QUERY_CHARS))
    throw new AsofError('ASOF_INVALID_QUERY', `the query has over ${MAX_QUERY_CHARS} characters`)
}

function readClauses(text: string): Clauses {
  const clauses: Clauses = { words: [], quoted: [], excluded: [], sites: [], excludedSites: [] }
  let at = 0
  while (at < text.length) {
    if (SPACE.test(text[at])) {
      at++
      continue
    }
    const negative = text[at] === '-' && at + 1 < text.length && !SPACE.test(text[at + 1])
    if (negative) at++
    const closing = QUOTES.get(text[at])
    const end = closing === undefined ? -1 : text.indexOf(closing, at + 1)
    if (end > 0) {
      const inner = text.slice(at + 1, end)
      if (negative) clauses.excluded.push(inner)
      else clauses.quoted.push(inner)
      at = end + 1
      continue
    }
    let wordEnd = at + 1
    while (wordEnd < text.length && !SPACE.test(text[wordEnd]) && text[wordEnd] !== '"') wordEnd++
    const word = text.slice(at, wordEnd)
    at = wordEnd
    if (/^site:./i.test(word)) {
      const site = parseSite(word.slice(5))
      if (negative) clauses.excludedSites.push(site)
      else clauses.sites.push(site)
    } else if (negative) clauses.excluded.push(word)
    else clauses.words.push(word)
  }
  return clauses
}

/** Plain function words score only where there is nothing else (see the `realtime` profile); quoted ones are meant. */
export function scoringTerms(plain: readonly QueryTerm[], quoted: readonly QueryTerm[]): ScoringTerm[] {
  const content = [...plain.filter(term => !term.functionWord), ...quoted]
  const counts = new Map<string, number>()
  for (const { term } of content.length > 0 ? content : plain) counts.set(term, (counts.get(term) ?? 0) + 1)
  return [...counts].map(([term, count]) => ({ term, count }))
}

/** Positions between the parts of a query: more than any two words are looked for within. */
const PART_GAP = 1000

/** Of each part the words that score. */
function wordsOf(parts: readonly QueryTerm[][], terms: readonly ScoringTerm[]): QueryWord[] {
  const numbers = new Map(terms.map(({ term }, number) => [term, number]))
  const hasContent = parts.some((part, p) => part.some(({ functionWord }) => p > 0 || !functionWord))
  let before = 0
  return parts.flatMap((part, p) => {
    const from = before
    before += (part.at(-1)?.position ?? 0) + PART_GAP
    return part.flatMap(({ term, word, position, functionWord }): QueryWord[] => {
      const number = numbers.get(term)
      if (number === undefined || (functionWord && hasContent && p === 0)) return []
      return [{ term: number, word, position: from + position }]
    })
  })
}

function phraseOf(terms: QueryTerm[]): Phrase {
  return terms.map(({ term, position }) => ({ term, offset: position - terms[0].position }))
}
