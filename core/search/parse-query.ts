import { AsofError } from '../errors.ts'
import { type QueryTerm, queryTerms } from '../text/query-terms.ts'
import { parseSite } from '../url.ts'
import { type AskedTime, askedTime } from './asked-time.ts'
import { type QueryIdentifier, queryIdentifiers } from './query-identifiers.ts'
import { QUOTES } from './quotes.ts'
import { type Phrase, phraseForms, type QueryWord, type ScoringTerm, scoringTerms, wordsOf } from './scoring-terms.ts'

/** Queries may have at most this many characters (code points). */
export const MAX_QUERY_CHARS = 2048

/** What a query asks for: ranked OR over `terms`, with hard conditions. */
export interface ParsedQuery {
  /** In the order of first appearance; empty when the query holds no word. */
  terms: ScoringTerm[]
  /** The words that `terms` are made of. */
  words: QueryWord[]
  /** Parts that may be identifiers in the data of pages besides; absent when there are none. */
  identifiers?: QueryIdentifier[]
  /** Of each phrase the forms, any of which fulfils it. */
  phrases: Phrase[][]
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

const SPACE = /\s/

/**
 * Reads a query: plain words, "quoted phrases", -exclusions of either, `site:` and `-site:`. A quote that is never
 * closed, a lone hyphen and an empty `site:` are plain text.
 *
 * @param language - that of its words, ISO 639-1. Default: unknown.
 * @throws ASOF_INVALID_QUERY - empty, white space alone, or over {@link MAX_QUERY_CHARS}.
 * @throws ASOF_INVALID_OPTION - a `site:` that is no domain.
 */
export function parseQuery(text: string, language = ''): ParsedQuery {
  checkQueryText(text)
  const clauses = readClauses(text)
  const analyzed = (part: string): QueryTerm[] => queryTerms(part, language)
  const read = (parts: readonly string[]): { text: string; terms: QueryTerm[] }[] =>
    parts.map(part => ({ text: part, terms: analyzed(part) })).filter(({ terms }) => terms.length > 0)
  const quotes = read(clauses.quoted)
  const quoted = quotes.map(({ terms }) => terms)
  const words = clauses.words.join(' ')
  const plain = analyzed(words)
  const time = askedTime(words)
  const terms = scoringTerms(plain, quoted.flat())
  const parts = [...new Set([...clauses.words, words, ...clauses.quoted])]
  const identifiers = queryIdentifiers(parts, analyzed)
  return {
    terms,
    words: wordsOf([plain, ...quoted], terms),
    ...(identifiers.length > 0 && { identifiers }),
    phrases: quotes.map(({ terms, text }) => phraseForms(terms, text)),
    excluded: read(clauses.excluded).flatMap(({ terms, text }) => phraseForms(terms, text)),
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

/** What a query says, without its operators and what it excludes: for whoever reads sentences rather than terms. */
export function plainWords(text: string): string {
  const { words, quoted } = readClauses(text)
  return [...words, ...quoted].join(' ').trim()
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
