import { AsofError } from '../../errors.ts'
import { type QueryTerm, queryTerms } from '../../text/terms/query-terms.ts'
import { parseSite } from '../../url.ts'
import { type AskedTime, askedTime } from './asked-time.ts'
import { type QueryIdentifier, queryIdentifiers } from './query-identifiers.ts'
import { quotationsIn } from './quotations.ts'
import {
  type FavoredPhrase,
  favoredPhrase,
  type Phrase,
  phraseForms,
  type QueryWord,
  type ScoringTerm,
  scoringTerms,
  wordsOf,
} from './scoring-terms.ts'

/** Queries may have at most this many characters (code points). */
export const MAX_QUERY_CHARS = 2048

/** Phrases that {@link parseAsWords} favors, the first of the query: each is looked for in every page that may be among the best. */
const MOST_FAVORED = 16

/** What a query asks for: ranked OR over `terms`, with hard conditions. */
export interface ParsedQuery {
  /** In the order of first appearance; empty when the query holds no word. */
  terms: ScoringTerm[]
  /** The words that `terms` are made of. */
  words: QueryWord[]
  /** Parts of the query that may be identifiers (SKU, GTIN, ticker symbol) in the data of pages. Undefined if there are none. */
  identifiers?: QueryIdentifier[]
  /** Of each phrase the forms, any of which fulfils it. */
  phrases: Phrase[][]
  /** Set where the quoted phrases are no conditions: their words are plain words, and a page that has a phrase ranks higher. */
  favored?: FavoredPhrase[]
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
 * Reads a query: plain words, "quoted phrases", -exclusions of either, `site:` and `-site:`. A quotation mark without its
 * counterpart, a lone hyphen and an empty `site:` are plain text.
 *
 * @param language - that of its words, ISO 639-1. Default: unknown.
 * @throws ASOF_INVALID_QUERY - empty, white space alone, or over {@link MAX_QUERY_CHARS}.
 * @throws ASOF_INVALID_OPTION - a `site:` that is no domain.
 */
export function parseQuery(text: string, language = ''): ParsedQuery {
  checkQueryText(text)
  const clauses = readClauses(text)
  const quoted = analyzed(clauses.quoted, language)
  return {
    ...parsed(clauses, quoted, language),
    phrases: quoted.map(({ terms, text }) => phraseForms(terms, text)),
  }
}

/**
 * Reads a query as if its quoted phrases were plain words, in their places; exclusions stay what they are. The phrases
 * that were quoted are {@link ParsedQuery.favored}, the first {@link MOST_FAVORED} different ones.
 *
 * @param text - one that {@link parseQuery} takes.
 */
export function parseAsWords(text: string, language = ''): ParsedQuery {
  const { quoted } = readClauses(text)
  const favored = analyzed([...new Set(quoted)], language).slice(0, MOST_FAVORED)
  return {
    ...parsed({ ...readClauses(text, true), quoted }, [], language),
    favored: favored.map(({ terms }) => favoredPhrase(terms)),
  }
}

/** Parts of a query that hold words, with these. */
function analyzed(parts: readonly string[], language: string): { text: string; terms: QueryTerm[] }[] {
  return parts.map(part => ({ text: part, terms: queryTerms(part, language) })).filter(({ terms }) => terms.length > 0)
}

/** @param quotations - those whose words are not among the plain ones. */
function parsed(clauses: Clauses, quotations: readonly { terms: QueryTerm[] }[], language: string): ParsedQuery {
  const quoted = quotations.map(({ terms }) => terms)
  const words = clauses.words.join(' ')
  const plain = queryTerms(words, language)
  const time = askedTime(words)
  const terms = scoringTerms(plain, quoted.flat())
  const parts = [...new Set([...clauses.words, words, ...clauses.quoted])]
  const identifiers = queryIdentifiers(parts, part => queryTerms(part, language))
  return {
    terms,
    words: wordsOf([plain, ...quoted], terms),
    ...(identifiers.length > 0 && { identifiers }),
    phrases: [],
    excluded: analyzed(clauses.excluded, language).flatMap(({ terms, text }) => phraseForms(terms, text)),
    sites: clauses.sites,
    excludedSites: clauses.excludedSites,
    ...(time !== undefined && { time }),
  }
}

/**
 * @throws ASOF_INVALID_QUERY - empty, white space alone, or over {@link MAX_QUERY_CHARS}.
 */
export function checkQueryText(text: string): void {
  if (typeof text !== 'string') throw new AsofError('ASOF_INVALID_QUERY', 'the query must be a string')
  if (text.trim() === '') throw new AsofError('ASOF_INVALID_QUERY', 'the query is empty')
  if (text.length > MAX_QUERY_CHARS && (text.length > 2 * MAX_QUERY_CHARS || [...text].length > MAX_QUERY_CHARS))
    throw new AsofError('ASOF_INVALID_QUERY', `the query has over ${MAX_QUERY_CHARS} characters`)
}

/** What a query says, without its operators and what it excludes: for whoever reads sentences rather than terms. */
export function plainWords(text: string): string {
  const { words, quoted } = readClauses(text)
  return [...words, ...quoted].join(' ').trim()
}

/** @param asWords - whether quoted phrases are plain words. */
function readClauses(text: string, asWords = false): Clauses {
  const clauses: Clauses = { words: [], quoted: [], excluded: [], sites: [], excludedSites: [] }
  let from = 0
  for (const { start, end } of quotationsIn(text)) {
    const isExcluded = text[start - 1] === '-' && beginsWord(text, start - 1)
    readWords(text, from, isExcluded ? start - 1 : start, clauses)
    const inner = text.slice(start + 1, end - 1)
    if (isExcluded) clauses.excluded.push(inner)
    else if (asWords) clauses.words.push(inner)
    else clauses.quoted.push(inner)
    from = end
  }
  readWords(text, from, text.length, clauses)
  return clauses
}

/** A word, perhaps with a hyphen or a quotation mark that is not closed before it. */
const WORDS = /-?"?[^\s"]+/g

/** Reads the part `[from, to)` of a query, which has no quotations. */
function readWords(text: string, from: number, to: number, clauses: Clauses): void {
  for (const { 0: whole, index } of text.slice(from, to).matchAll(WORDS)) {
    const isExcluded = whole.length > 1 && whole[0] === '-' && beginsWord(text, from + index)
    const word = isExcluded ? whole.slice(1) : whole
    if (/^site:./i.test(word)) {
      const site = parseSite(word.slice(5))
      if (isExcluded) clauses.excludedSites.push(site)
      else clauses.sites.push(site)
    } else if (isExcluded) clauses.excluded.push(word)
    else clauses.words.push(word)
  }
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || SPACE.test(text[at - 1])
}
