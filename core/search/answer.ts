import { hash } from 'node:crypto'
import type { AnswerTimings, Receipt, SearchAnswer, SearchResult, Snippet, VectorReceipt } from '../engine.ts'
import type { CurrentCapture } from '../history/current-capture.ts'
import type { Segment } from '../segment/segment.ts'
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
import { type FindOptions, type Found, type FoundHits, findHits } from './find-hits.ts'
import { beginSearchTime, checkSearchTime, DEFAULT_SEARCH_TIMEOUT_MS, endSearchTime } from './postings/search-time.ts'
import { holdsPageAt, viewsAt } from './postings/segment-view.ts'
import { type ParsedQuery, parseAsWords } from './query/parse-query.ts'
import { queryLanguage } from './query/query-language.ts'
import type { ScoringTerm } from './query/scoring-terms.ts'
import { inLanguage, type SearchRequest } from './search-request.ts'
import { findSitePages, homeUrls } from './site-pages.ts'
import { findSpelt } from './terms/find-spelt.ts'
import type { Hit } from './topk/top-hits.ts'
import { joinedWarnings } from './warnings.ts'
import { type FoundWebql, findWebqlHits } from './webql/find-webql-hits.ts'
import { scannedPattern } from './webql/term-pattern.ts'

/** What an answer is made from: one state of the index, one reading of the clock. */
export interface AnswerContext {
  store: StoredValues
  catalog: Catalog
  /** Epoch ms. */
  instant: number
  /** The vectors in memory, when a model is in use. */
  table?: VectorTable | undefined
  /** The capture that is current at the instant under a URL or an alias of it. */
  currentOf: (url: string) => CurrentCapture | undefined
  /** Processor time that the search may take, milliseconds. Default {@link DEFAULT_SEARCH_TIMEOUT_MS}. */
  timeoutMs?: number
}

/**
 * Answers a search request: see `Engine.search`.
 *
 * @throws ASOF_SEARCH_TIMEOUT - the answer took more processor time than it may.
 */
export function answer(text: string, asked: SearchRequest, context: AnswerContext): SearchAnswer {
  beginSearchTime(context.timeoutMs ?? DEFAULT_SEARCH_TIMEOUT_MS)
  try {
    return answerInTime(text, asked, context)
  } finally {
    endSearchTime()
  }
}

function answerInTime(text: string, asked: SearchRequest, context: AnswerContext): SearchAnswer {
  const { instant, store, table } = context
  const beganMs = asked.explain ? performance.now() : 0
  const views = viewsAt(context.catalog.segments, instant, asked.times.acquired)
  const language =
    asked.language ?? (asked.reading && asked.url === undefined ? queryLanguage(asked.reading.text, views) : '')
  const request = inLanguage(asked, language)
  let countedMs = 0
  const pages = new PageReader(store)
  const options: FindOptions = {
    times: request.times,
    instant,
    sites: request.sites,
    limit: request.url === undefined ? request.maxResults : 0,
    urlOf: captureId => pages.document(captureId).url,
    ...(request.mode === 'pro' && {
      read: {
        vectorOf: captureId => pages.vector(captureId),
        ...(request.meaning && table && { meaning: new VectorReader(request.meaning, table, store) }),
        textOf: (captureId, units) => ({
          ...pages.document(captureId),
          text: pages.beginning(captureId, units),
        }),
      },
    }),
    ...(request.explain && {
      onStatistics: () => {
        countedMs = performance.now()
      },
    }),
  }
  const { found, query, warning: howFound } = find({ text, language, pages, options }, request, context)
  const hits = request.url === undefined ? found.hits : hitOfUrl(request.url, context)
  const isEmpty = hits.length === 0 && !holdsPageAt(context.catalog.segments, instant)
  const warning = joinedWarnings(request.warning, howFound, isEmpty ? emptyWarning(request) : undefined)
  const foundMs = request.explain ? performance.now() : 0
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
      ...receiptOf(instant, found, context.catalog, analyzerOf(query.terms)),
      ...(request.meaning && { vectors: vectorReceipt(request.meaning) }),
    },
    ...(request.explain && {
      explain: {
        timings: timingsOf(request.explain.parseMs, beganMs, countedMs, foundMs, performance.now()),
        scores: hits.map(hit => {
          checkSearchTime()
          return request.url === undefined ? found.partsOf(hit) : []
        }),
        ...(hasStems(language) && !('condition' in query) && { language }),
      },
    }),
  }
}

const noSnippet = (): Snippet => ({ text: '', highlights: [] })

/** Makes the snippets of the captures of one answer. */
function snippets(
  { query, weights, maxLength }: { query: SearchRequest['query']; weights: readonly number[]; maxLength: number },
  pages: PageReader,
  { currentOf, store }: AnswerContext,
): (captureId: number) => Snippet {
  const patterns = 'condition' in query ? query.patterns.filter(({ scores }) => scores) : []
  const scanner = new TermScanner(
    query.terms.map(({ term }) => term),
    patterns.map(scannedPattern),
  )
  return captureId => {
    checkSearchTime()
    const source = {
      text: pages.text(captureId),
      language: pages.document(captureId).language,
      description: () => {
        const current = currentOf(pages.document(captureId).url)
        const revision = current?.captureId === captureId ? current.revision : undefined
        return (revision ? readRevision(store, revision.id) : pages.body(captureId)).details.description
      },
    }
    return makeSnippet(source, { scanner, weights }, maxLength)
  }
}

interface FoundFor {
  found: Found
  /** What was searched for. */
  query: SearchRequest['query']
  /** Says what was searched for, if that is not the query as it was written. */
  warning?: string
}

interface Asked {
  text: string
  language: string
  options: FindOptions
  pages: PageReader
}

function find(asked: Asked, request: SearchRequest, context: AnswerContext): FoundFor {
  const { query, onlySite, warning } = request
  const { segments } = context.catalog
  if ('condition' in query) return scored(findWebqlHits(segments, query, asked.options))
  if (onlySite) return findOnSite(asked, { ...request, query, onlySite }, context)
  // A request with a warning is not searched for as it was written anyway.
  if (warning !== undefined) return scored(findHits(segments, query, asked.options))
  const asWritten = findCorrected(asked, query, segments)
  if (asWritten.found.hits.length > 0 || query.phrases.length === 0) return asWritten
  // No page has all that was quoted: as words it may still be found.
  const asWords = findCorrected(asked, parseAsWords(asked.text, asked.language), segments)
  if (asWords.found.hits.length === 0) return asWritten
  return {
    ...asWords,
    warning: 'no page has everything in quotation marks as quoted: the quoted words were searched for like other words',
  }
}

function scored(found: FoundHits | FoundWebql): FoundFor {
  return { found, query: found.query }
}

/** Finds what a query asks for, or what its correction does. */
function findCorrected(
  { pages, options, ...asked }: Asked,
  query: ParsedQuery,
  segments: readonly Segment[],
): FoundFor {
  const wordsOf = function* (captureId: number): Generator<string> {
    yield pages.document(captureId).title
    yield* pages.text(captureId)
  }
  const { corrected, ...found } = findSpelt(segments, { ...asked, query, wordsOf }, options)
  if (corrected === undefined) return found
  const meant = corrected.trim()
  return { ...found, warning: `showing results for ${meant}; put words in quotes to search for them as they are` }
}

/** That nothing could be found. When the first capture came lies after the instant and is not told. */
function emptyWarning({ times: { queryAt } }: SearchRequest): string {
  return `the index holds no page${queryAt === undefined ? '' : ` as of ${new Date(queryAt).toISOString()}`}`
}

/** Finds the pages of a site that say its name; where none does, its pages. */
function findOnSite(
  { options }: Asked,
  { query, onlySite, sites }: SearchRequest & { query: ParsedQuery; onlySite: { site: string; name: string } },
  { catalog, currentOf }: AnswerContext,
): FoundFor {
  const named = scored(findHits(catalog.segments, query, options))
  if (named.found.hits.length > 0) return named
  const homes = function* (): Generator<Place> {
    for (const url of [onlySite.site, ...sites].flatMap(homeUrls)) {
      const current = currentOf(url)
      if (current) yield placeOf(catalog, current.captureId, current.at)
    }
  }
  const listed = findSitePages(catalog.segments, query, options, homes())
  if (listed.found.hits.length === 0) return named
  return { ...listed, warning: 'none of them has that name: the home page is listed first, then the newest pages' }
}

function timingsOf(parse: number, beganMs: number, countedMs: number, foundMs: number, endedMs: number): AnswerTimings {
  return {
    parse,
    statistics: countedMs - beganMs,
    topK: foundMs - countedMs,
    snippets: endedMs - foundMs,
    total: parse + endedMs - beganMs,
  }
}

function hitOfUrl(url: string, { catalog, currentOf }: AnswerContext): Hit[] {
  const current = currentOf(url)
  return current ? [{ ...placeOf(catalog, current.captureId, current.at), score: 1 }] : []
}

function resultOf(
  hit: Hit,
  snippetOf: (captureId: number) => Snippet,
  pages: PageReader,
  instant: number,
): SearchResult {
  const { columns } = hit.segment
  const captureId = columns.captureIds[hit.ordinal]
  const document = pages.document(captureId)
  const publishedAt = hit.segment.publishedAt(hit.ordinal, instant)
  return {
    url: document.url,
    title: document.title,
    score: hit.score,
    snippet: snippetOf(captureId),
    ...(!Number.isNaN(publishedAt) && { publishedAt }),
    acquiredAt: columns.acquiredAt[hit.ordinal],
  }
}

/** Answers to requests that name no language say none: they have the shape that they always had. */
function languageOf(hit: Hit, request: SearchRequest, pages: PageReader): { language?: string } {
  if (request.language === undefined) return {}
  const { language } = pages.document(hit.segment.columns.captureIds[hit.ordinal]!)
  return language === '' ? {} : { language }
}

/** The dictionaries of the running Node are named where the query has words of theirs: no other answer depends on them. */
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
  { statistics, segments, undated, profile }: Found,
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
