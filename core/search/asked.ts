import { domainToUnicode } from 'node:url'
import { AsofError, messageOf } from '@asof/extract/errors'
import { getDomainWithoutSuffix } from 'tldts'
import { queryTerms } from '../text/terms/query-terms.ts'
import { normalizeUrl } from '../url.ts'
import { onlySiteOf } from './analysis/analyze-webql.ts'
import { addressOf, type QueryAddress } from './plain/address.ts'
import { parsePlain } from './plain/plain-query.ts'
import { clausesAsTyped, type QueryClause, textsOf } from './plain/query-clauses.ts'
import { checkQueryText } from './query/query-text.ts'
import type { SearchWarning } from './search-answer.ts'
import { parseWebql, type SyntaxNode } from './webql/parser.ts'
import { naming, type ReadTree } from './webql/query-tree.ts'

/**
 * What a query asks for. It is decided once, when the query is parsed, and decides how the hits are found. Plain data, so that it can be
 * sent to a search thread.
 */
export type Asked = AskedPage | AskedAnything | AskedSite | AskedExclusions | AskedWords | AskedWebql

/** The page of a URL, which is looked up instead of searched for. */
interface AskedPage {
  kind: 'page'
  url: string
  /** The words of the URL, which the result highlights. */
  clauses: readonly QueryClause[]
}

/** All pages: the query is empty. */
interface AskedAnything {
  kind: 'browse'
}

/** The pages of a site: the query is only a `site:`. */
interface AskedSite {
  kind: 'site'
  site: string
  /** Clauses that search for the name of the site, on that site. */
  clauses: readonly QueryClause[]
}

/** Only exclusions: such a query finds no page. */
interface AskedExclusions {
  kind: 'exclusions'
  clauses: readonly QueryClause[]
}

/** Pages with words, phrases and operators. */
interface AskedWords {
  /** `typed` if somebody is still typing the query. */
  kind: 'words' | 'typed'
  clauses: readonly QueryClause[]
  /** Set if the query has the form of an address without a scheme: then the pages of the address come first, if the index has any. */
  address?: QueryAddress | undefined
}

/** Pages that fulfill a query in the full language. */
interface AskedWebql {
  kind: 'webql'
  tree: SyntaxNode
  /** Set if the caller gave the query as a tree: the path of each part in the tree, by its offset in the text of the query. */
  paths?: ReadTree['paths']
}

/** How a query is read. */
interface Reading {
  /** True for the full query language, false for a plain query. */
  isWebql: boolean
  /** True if somebody is still typing the query. */
  isTyped: boolean
}

/**
 * Decides what a query asks for.
 *
 * @returns what the query asks for, and warnings that say how the query was read.
 * @throws ASOF_INVALID_QUERY, ASOF_INVALID_OPTION
 */
export function readAsked(text: string, reading: Reading): { asked: Asked; warnings: SearchWarning[] } {
  if (text === '') return { asked: { kind: 'browse' }, warnings: [] }
  const url = typeof text === 'string' ? urlOfQuery(text) : undefined
  if (reading.isWebql && url === undefined) return readWebql(parseWebql(text))
  const plain = parsePlain(text)
  const clauses = reading.isTyped ? clausesAsTyped(plain.clauses, text) : plain.clauses
  const hasMeaning = plain.clauses.some(({ kind, text }) => isFilter(kind) || hasWord(text))
  const warnings: SearchWarning[] = hasMeaning
    ? plain.warnings.map(text => ({ code: 'operator', text }))
    : [{ code: 'no-word', text: NO_WORD }]
  if (url !== undefined) return { asked: { kind: 'page', url, clauses }, warnings: [...warnings, LOOKED_UP] }
  if (excludesOnly(clauses)) return { asked: { kind: 'exclusions', clauses }, warnings: [...warnings, EXCLUDES_ONLY] }
  const sites = onlySitesOf(clauses)
  const site = sites.find(({ isExcluded }) => !isExcluded)?.text
  if (site !== undefined) return siteNamed(site, sites, warnings)
  return { asked: { kind: reading.isTyped ? 'typed' : 'words', clauses, address: addressOf(text) }, warnings }
}

/**
 * Decides what a query that is given as a tree asks for.
 *
 * @throws ASOF_INVALID_QUERY
 */
export function askedByTree({ text, tree, paths }: ReadTree): ReturnType<typeof readAsked> {
  checkQueryText(text)
  return naming(paths, () => readWebql(tree, paths))
}

/** True if the words of the query rank the pages: then models and the rules of the index take part. */
export function isRankedByWords(asked: Asked): asked is AskedWords {
  return asked.kind === 'words' || asked.kind === 'typed'
}

/** True for a query with a word or phrase that pages are searched for. */
export function hasWords(clauses: readonly QueryClause[]): boolean {
  return [...textsOf(clauses, 'word'), ...textsOf(clauses, 'phrase')].some(hasWord)
}

const NO_WORD =
  'the query has no word to search for, because signs and emoji are not indexed by themselves: add a word, or a name with its signs such as C++'

const LOOKED_UP: SearchWarning = {
  code: 'page',
  text: 'the query is a URL: its page was looked up, filters and ranking do not apply',
}

const EXCLUDES_ONLY: SearchWarning = {
  code: 'exclusions',
  text: 'the query only excludes pages, so it finds none: add a word that pages must have',
}

function readWebql(tree: SyntaxNode, paths?: ReadTree['paths']): ReturnType<typeof readAsked> {
  const site = onlySiteOf(tree)
  if (site === undefined) return { asked: { kind: 'webql', tree, paths }, warnings: [] }
  return siteNamed(site, [{ kind: 'site', text: site, isExcluded: false }], [])
}

/** Searches for the name of a site, on that site. @param sites - all sites of the query. */
function siteNamed(
  site: string,
  sites: readonly QueryClause[],
  warnings: readonly SearchWarning[],
): ReturnType<typeof readAsked> {
  const name = getDomainWithoutSuffix(domainToUnicode(site)) || site
  const text = `the query held only a site: pages of ${site} were searched for "${name}"`
  return {
    asked: { kind: 'site', site, clauses: [...parsePlain(name).clauses, ...sites] },
    warnings: [...warnings, { code: 'site', text }],
  }
}

/** True for a clause that restricts the pages, but contains no word that ranks them. */
function isFilter(kind: QueryClause['kind']): boolean {
  return kind === 'site' || kind === 'condition'
}

/**
 * True for a plain query that excludes something, and asks for no word and no condition. A query of sites alone is one only if it excludes all
 * of them.
 */
function excludesOnly(clauses: readonly QueryClause[]): boolean {
  if (clauses.every(({ kind, isExcluded }) => !isFilter(kind) && !isExcluded)) return false
  if (clauses.some(({ kind, isExcluded }) => kind === 'condition' && !isExcluded)) return false
  const words = clauses.filter(({ kind, text }) => !isFilter(kind) && hasWord(text))
  if (words.length > 0) return words.every(({ isExcluded }) => isExcluded)
  const filters = clauses.filter(({ kind }) => isFilter(kind))
  return filters.length > 0 && filters.every(({ isExcluded }) => isExcluded)
}

/** Returns the sites of a query that contains only sites, and signs that are not indexed. Returns [] for any other query. */
function onlySitesOf(clauses: readonly QueryClause[]): QueryClause[] {
  const sites = clauses.filter(({ kind }) => kind === 'site')
  if (sites.length === 0) return []
  const isOnly = clauses.every(({ kind, text }) => kind === 'site' || (kind !== 'condition' && !hasWord(text)))
  return isOnly ? sites : []
}

/** Matches most words, whose text need not be analyzed. */
const ASCII_WORD = /^[a-z\d]+$/i

function hasWord(text: string): boolean {
  return ASCII_WORD.test(text) || queryTerms(text).length > 0
}

function urlOfQuery(text: string): string | undefined {
  const trimmed = text.trim()
  if (!/^(?:https?|file):\/\/\S+$/i.test(trimmed) || !URL.canParse(trimmed)) return undefined
  try {
    return normalizeUrl(trimmed)
  } catch (cause) {
    const reason = messageOf(cause)
    throw new AsofError('ASOF_INVALID_QUERY', `the query is a URL that can't be looked up: ${reason}`, { cause })
  }
}
