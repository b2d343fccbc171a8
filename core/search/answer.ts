import { hash } from 'node:crypto'
import { deltaOrigin } from '../dates/resolve-times.ts'
import type { AnswerTimings, Receipt, SearchAnswer, SearchResult, Snippet, VectorReceipt } from '../engine.ts'
import { shownFields } from '../fields/field-values.ts'
import { revisedFields } from '../fields/fields-of-segment.ts'
import type { CurrentCapture } from '../history/current-capture.ts'
import { CaptureFlag } from '../segment/columns/columns.ts'
import { makeSnippet } from '../snippet/snippet.ts'
import { PageReader } from '../store/records/page-reader.ts'
import { readRevision } from '../store/records/stored-page.ts'
import { type Catalog, type Place, placeOf } from '../store/snapshots/catalog.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { dictionaryIdentity, isDictionaryTerm } from '../text/terms/dictionary-words.ts'
import { hasStems } from '../text/terms/language-terms.ts'
import { TermScanner } from '../text/terms/term-scanner.ts'
import { analyzerIdentity } from '../text/terms/tokens.ts'
import { type QueryMeaning, VectorReader } from '../vectors/vector-reader.ts'
import type { VectorTable } from '../vectors/vector-table.ts'
import { type FilterAsOf, filterAsOf } from './fields/filter-as-of.ts'
import { findCorrected } from './find-corrected.ts'
import { type FindOptions, type FoundHits, findHits } from './find-hits.ts'
import { firstPosition } from './postings/first-position.ts'
import { beginSearchTime, checkSearchTime, DEFAULT_SEARCH_TIMEOUT_MS, endSearchTime } from './postings/search-time.ts'
import { hasCurrentPage, type IndexView, indexViewAt } from './postings/segment-view.ts'
import { analyzeAsWords, type ParsedQuery } from './query/parse-query.ts'
import type { ScoringTerm } from './query/scoring-terms.ts'
import { analyzedQuery, type SearchRequest } from './search-request.ts'
import { findSitePages, homeUrls } from './site-pages.ts'
import { queryLanguage } from './terms/query-language.ts'
import type { RankedHits } from './topk/ranked-hits.ts'
import type { Hit } from './topk/top-hits.ts'
import { joinedWarnings } from './warnings.ts'
import { type FoundWebql, findWebqlHits } from './webql/find-webql-hits.ts'
import { scannedPattern } from './webql/term-pattern.ts'
import type { WebqlQuery } from './webql/webql-query.ts'

/** The state of the index that an answer is made from. */
export interface AnswerContext {
  store: StoredValues
  catalog: Catalog
  /** Epoch ms. */
  instant: number
  /** The vectors in memory, if a model is in use. */
  table?: VectorTable | undefined
  /** Returns the capture that is current at the instant under a URL or an alias of it. */
  currentOf: (url: string) => CurrentCapture | undefined
  /** Processor time that the search may take, milliseconds. Default {@link DEFAULT_SEARCH_TIMEOUT_MS}. */
  timeoutMs?: number
  /** Processor time after which the search is abandoned, to be answered on another thread; milliseconds. Default: unlimited. */
  mostMs?: number
}

/**
 * Answers a search request: see `Engine.search`.
 *
 * @throws ASOF_SEARCH_TIMEOUT - the answer took more processor time than allowed.
 * @throws SearchAbandoned
 */
export function answer(request: SearchRequest, context: AnswerContext): SearchAnswer {
  beginSearchTime(context.timeoutMs ?? DEFAULT_SEARCH_TIMEOUT_MS, context.mostMs)
  try {
    return answerInTime(request, context)
  } finally {
    endSearchTime()
  }
}

function answerInTime(request: SearchRequest, context: AnswerContext): SearchAnswer {
  const { text, times, maxResults, explain } = request
  const { instant, store, table, catalog } = context
  const beganMs = explain ? performance.now() : 0
  const index = indexViewAt(catalog.segments, instant, times.acquired)
  const filtered = filterOf(request, index)
  const language = languageOfQuery(request, index)
  const analyzed = analyzedQuery(request, language)
  const meaning = meaningIn(request, language)
  const analyzedMs = explain ? performance.now() : 0
  let countedMs = 0
  const pages = new PageReader(store)
  const options: FindOptions = {
    published: times.published,
    sites: request.sites,
    ...(filtered && { filter: filtered.filter }),
    limit: request.url === undefined ? maxResults : 0,
    urlOf: captureId => pages.document(captureId).url,
    ...(request.mode === 'pro' && {
      read: {
        vectorOf: captureId => pages.vector(captureId),
        ...(meaning && table && { meaning: new VectorReader(meaning, table, store) }),
        textOf: (captureId, units) => ({
          ...pages.document(captureId),
          text: pages.beginning(captureId, units),
        }),
      },
    }),
    ...(explain && {
      onStatistics: () => {
        countedMs = performance.now()
      },
    }),
  }
  const { found, query, warning: findWarning } = find({ request, analyzed, language, index, pages, options }, context)
  const hits = request.url === undefined ? found.hits : hitOfUrl(request.url, context)
  const isEmpty = hits.length === 0 && !hasCurrentPage(index)
  const warning = joinedWarnings(
    request.warning,
    filtered?.warning,
    findWarning,
    isEmpty ? emptyWarning(request) : undefined,
  )
  const foundMs = explain ? performance.now() : 0
  const snippetOf =
    request.snippetMaxLength === 0
      ? noSnippet
      : snippets({ query, weights: found.weights, maxLength: request.snippetMaxLength }, pages, context)
  const results = hits.map(hit => ({ ...resultOf(hit, snippetOf, pages, instant), ...languageOf(hit, request, pages) }))
  return {
    query: text,
    mode: request.mode,
    results,
    ...(warning !== undefined && { warning }),
    ...(request.url !== undefined && { queriedUrl: request.url }),
    receipt: {
      ...receiptOf(instant, found, catalog, analyzerOf(query.terms)),
      ...(meaning && { vectors: vectorReceipt(meaning) }),
    },
    ...(explain && {
      explain: {
        timings: timingsOf({
          parseMs: explain.parseMs,
          beganMs,
          analyzedMs,
          countedMs,
          foundMs,
          endedMs: performance.now(),
        }),
        scores: hits.map(hit => {
          checkSearchTime()
          return request.url === undefined ? found.partsOf(hit) : []
        }),
        ...(hasStems(language) && !('condition' in query) && { language }),
      },
    }),
  }
}

/** The language of the words of a request: the one that the caller named, or the one detected; '' for none. */
function languageOfQuery({ text, language, url, onlySite }: SearchRequest, { views }: IndexView): string {
  return language ?? (url === undefined && !onlySite ? queryLanguage(text, views) : '')
}

/** The filter of a request as of the instant of the index. A page that is looked up by its URL is not filtered. */
function filterOf({ filter, url, times, clock }: SearchRequest, index: IndexView): FilterAsOf | undefined {
  if (!filter || url !== undefined) return undefined
  const { instant } = times
  return filterAsOf(filter, index, { origin: deltaOrigin(instant, clock.requestAt, clock.weeksInFilters), instant })
}

/** Number of pieces of a text that are read to see how it writes a word. */
const SPELLING_PIECES = 16

/**
 * The vector of a request, unless the model does not know the language of the query. Only the languages in the index identify
 * that of a short query, see `queryLanguage`.
 *
 * @param language - of the words; '' if it is unknown or English.
 */
function meaningIn({ meaning }: SearchRequest, language: string): QueryMeaning | undefined {
  return language === '' || !meaning?.languages || meaning.languages.includes(language) ? meaning : undefined
}

const noSnippet = (): Snippet => ({ text: '', highlights: [] })

/** Makes the snippets of the captures of one answer. */
function snippets(
  { query, weights, maxLength }: { query: AnalyzedQuery; weights: readonly number[]; maxLength: number },
  pages: PageReader,
  { currentOf, store }: AnswerContext,
): (hit: Hit) => Snippet {
  const patterns = 'condition' in query ? query.patterns.filter(({ scores }) => scores) : []
  const scanner = new TermScanner(
    query.terms.map(({ term }) => term),
    patterns.map(scannedPattern),
  )
  return ({ segment, ordinal }) => {
    checkSearchTime()
    const captureId = segment.columns.captureIds[ordinal]!
    const { url, title, language } = pages.document(captureId)
    const source = {
      text: pages.text(captureId),
      language,
      firstMatch: () => {
        // Positions of the title come first, and a title has at most as many words as characters.
        const firsts = query.terms.map(({ term }) => firstPosition(segment, term, ordinal, title.length))
        const first = Math.min(...firsts.map(position => position ?? Number.POSITIVE_INFINITY))
        if (first < Number.POSITIVE_INFINITY) return first / Math.max(1, segment.columns.lengths[ordinal]!)
        return patterns.length > 0 ? 0 : undefined
      },
      description: () => {
        const current = currentOf(url)
        const revision = current?.captureId === captureId ? current.revision : undefined
        return (revision ? readRevision(store, revision.id).details : pages.details(captureId)).description
      },
    }
    return makeSnippet(source, { scanner, weights }, maxLength)
  }
}

type AnalyzedQuery = ParsedQuery | WebqlQuery

/** The analyzed request, and the index and options that its hits are found with. */
interface Search {
  request: SearchRequest
  analyzed: AnalyzedQuery
  /** The language that `analyzed` was analyzed in, '' for none. */
  language: string
  index: IndexView
  pages: PageReader
  options: FindOptions
}

interface SearchedHits {
  found: RankedHits
  /** The query that was searched for. */
  query: AnalyzedQuery
  /** Says what was searched for, if that is not the query as written. */
  warning?: string
}

function find(search: Search, context: AnswerContext): SearchedHits {
  const { request, analyzed: query, language, index, options } = search
  if ('condition' in query) return searchedHits(findWebqlHits(index, query, options))
  if (request.onlySite) return findOnSite(search, query, request.onlySite, context)
  // A request with a warning is not searched for as written, so its words are not corrected.
  if (request.warning !== undefined) return searchedHits(findHits(index, query, options))
  const asWritten = findWithCorrection(search, query)
  if (asWritten.found.hits.length > 0 || query.phrases.length === 0 || !('clauses' in request.syntax)) return asWritten
  // No page contains all quoted phrases. Search for their words instead.
  const asWords = findWithCorrection(search, analyzeAsWords(request.syntax.clauses, language))
  if (asWords.found.hits.length === 0) return asWritten
  return {
    ...asWords,
    warning: 'no page has everything in quotation marks as quoted: the quoted words were searched for like other words',
  }
}

function searchedHits(found: FoundHits | FoundWebql): SearchedHits {
  return { found, query: found.query }
}

/** Finds the hits of a query or, if it has misspelled words and finds next to nothing, those of the corrected query. */
function findWithCorrection({ request, language, index, pages, options }: Search, query: ParsedQuery): SearchedHits {
  const textsOf = function* (captureId: number): Generator<string> {
    yield pages.document(captureId).title
    const text = pages.text(captureId)
    for (let index = 0; index < Math.min(text.count, SPELLING_PIECES); index++) yield text.piece(index)
  }
  const { corrected, ...found } = findCorrected(index, { text: request.text, query, language, textsOf }, options)
  if (corrected === undefined) return found
  return {
    ...found,
    warning: `showing results for ${corrected.trim()}; put words in quotes to search for them as they are`,
  }
}

/**
 * The warning that the index has no page as of the instant. It must not reveal when the first capture was acquired, if that
 * is later.
 */
function emptyWarning({ times: { instant } }: SearchRequest): string {
  return `the index holds no page${instant === undefined ? '' : ` as of ${new Date(instant).toISOString()}`}`
}

/** Finds the pages of a site that contain its name; if there are none, lists the pages of the site. */
function findOnSite(
  { request, index, options }: Search,
  query: ParsedQuery,
  onlySite: { site: string },
  { catalog, currentOf }: AnswerContext,
): SearchedHits {
  const named = searchedHits(findHits(index, query, options))
  if (named.found.hits.length > 0) return named
  const homes = function* (): Generator<Place> {
    for (const url of [onlySite.site, ...request.sites].flatMap(homeUrls)) {
      const current = currentOf(url)
      if (current) yield placeOf(catalog, current.captureId, current.at)
    }
  }
  const listed = findSitePages(index, query, options, homes())
  if (listed.found.hits.length === 0) return named
  return { ...listed, warning: 'none of them has that name: the home page is listed first, then the newest pages' }
}

/** The clock readings between the steps of an answer, by the monotonic clock. */
interface StepTimes {
  /** Duration of checking and parsing the request, milliseconds. */
  parseMs: number
  beganMs: number
  analyzedMs: number
  countedMs: number
  foundMs: number
  endedMs: number
}

function timingsOf({ parseMs, beganMs, analyzedMs, countedMs, foundMs, endedMs }: StepTimes): AnswerTimings {
  return {
    parse: parseMs + analyzedMs - beganMs,
    statistics: countedMs - analyzedMs,
    topK: foundMs - countedMs,
    snippets: endedMs - foundMs,
    total: parseMs + endedMs - beganMs,
  }
}

function hitOfUrl(url: string, { catalog, currentOf }: AnswerContext): Hit[] {
  const current = currentOf(url)
  return current ? [{ ...placeOf(catalog, current.captureId, current.at), score: 1 }] : []
}

function resultOf(hit: Hit, snippetOf: (hit: Hit) => Snippet, pages: PageReader, instant: number): SearchResult {
  const { columns } = hit.segment
  const captureId = columns.captureIds[hit.ordinal]!
  const document = pages.document(captureId)
  const publishedAt = hit.segment.publishedAt(hit.ordinal, instant)
  return {
    url: document.url,
    title: document.title,
    score: hit.score,
    snippet: snippetOf(hit),
    ...(!Number.isNaN(publishedAt) && { publishedAt }),
    acquiredAt: columns.acquiredAt[hit.ordinal]!,
    ...fieldsOf(hit, pages, instant),
  }
}

/** The fields of a result that were valid at the instant. Reads nothing for a capture that never had any. */
function fieldsOf({ segment, ordinal }: Hit, pages: PageReader, instant: number): Pick<SearchResult, 'fields'> {
  const { revisions, columns } = segment
  const row = revisions ? revisions.rowAt(ordinal, instant) : -1
  if (revisions && row >= 0) {
    const { values } = revisions.fields(row)
    return values === '' ? {} : { fields: shownFields(revisedFields(values)) }
  }
  if ((columns.flags[ordinal]! & CaptureFlag.fields) === 0) return {}
  const { fields } = pages.details(columns.captureIds[ordinal]!)
  return fields ? { fields: shownFields(fields) } : {}
}

/** The language of a result; present only in answers to requests that name a language. */
function languageOf(hit: Hit, request: SearchRequest, pages: PageReader): { language?: string } {
  if (request.language === undefined) return {}
  const { language } = pages.document(hit.segment.columns.captureIds[hit.ordinal]!)
  return language === '' ? {} : { language }
}

/**
 * The identity of the analyzer, for the receipt. It includes the version of the dictionaries of the running Node only if the
 * query has words from them: no other answer depends on them.
 */
function analyzerOf(terms: readonly ScoringTerm[]): string {
  return terms.some(({ term }) => isDictionaryTerm(term))
    ? `${analyzerIdentity};${dictionaryIdentity}`
    : analyzerIdentity
}

function vectorReceipt({ model, late, vector }: QueryMeaning): VectorReceipt {
  return { model, late, query: hash('sha256', vector, 'hex').slice(0, 16) }
}

function receiptOf(
  instant: number,
  { statistics, segments, undated, profile }: RankedHits,
  { manifest }: Catalog,
  analyzer: string,
): Receipt {
  return {
    instant,
    captures: statistics.captures,
    segments,
    profile,
    analyzer,
    declared: statistics.declared,
    purged: manifest.purged,
    dropped: manifest.dropped,
    ...(manifest.dropped > 0 && { retainedSince: manifest.retainedSinceAt }),
    undated,
  }
}
