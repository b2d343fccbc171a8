import { hash } from 'node:crypto'
import { deltaOrigin } from '../dates/resolve-times.ts'
import type { CurrentCapture } from '../history/current-capture.ts'
import type { Hit } from '../kernels/top-hits.ts'
import type { Relevance } from '../relevance/relevance.ts'
import { relevanceAt } from '../relevance/stored-relevance.ts'
import type { AnswerTimings, Receipt, ScorePart, SearchAnswer, VectorReceipt } from '../search-answer.ts'
import { rankingModel } from '../segment/ranking-model.ts'
import { PageReader } from '../store/records/page-reader.ts'
import { type Catalog, placeOf } from '../store/snapshots/catalog.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { withAnalyzer } from '../text/terms/analyzers.ts'
import { hasStems } from '../text/terms/language-terms.ts'
import { type QueryMeaning, VectorReader } from '../vectors/vector-reader.ts'
import type { VectorTable } from '../vectors/vector-table.ts'
import { addressPins, knownAddress } from './address-pages.ts'
import { FiltersAsOf } from './fields/filter-as-of.ts'
import { KnownFields } from './fields/known-fields.ts'
import type { FindOptions } from './find-hits.ts'
import { findSearch } from './find-search.ts'
import { listingAsOf } from './listing/listing-as-of.ts'
import { pageOf, reachOf } from './listing/page-of-hits.ts'
import type { BlockBuffers } from './postings/block-buffers.ts'
import { beginSearchTime, checkSearchTime, DEFAULT_SEARCH_TIMEOUT_MS, endSearchTime } from './postings/search-time.ts'
import { hasCurrentPage, type IndexView, indexViewAt } from './postings/segment-view.ts'
import type { WholeIndex } from './postings/whole-index.ts'
import { otherFormsOf } from './query/address.ts'
import { type ActiveRules, activeRules } from './relevance/active-rules.ts'
import { CompiledRelevance } from './relevance/compiled-relevance.ts'
import type { Analysis } from './relevance/expand-query.ts'
import { pinHits } from './relevance/pin-hits.ts'
import type { CandidateReader } from './rerank/candidate-reader.ts'
import { analyzeSearch, type ResolvedSearch } from './resolve-search.ts'
import { makeResults, type ResultSource } from './results.ts'
import { queryLanguage } from './terms/query-language.ts'
import type { RankedHits } from './topk/ranked-hits.ts'

/** The state of the index that an answer is made from. */
export interface AnswerContext {
  store: StoredValues
  catalog: Catalog
  /** Epoch ms. */
  instant: number
  /** The vectors in memory, if a model is in use. */
  table?: VectorTable | undefined
  /** Returns the capture that a URL, or an alias, had at the instant of the search. */
  currentOf: (url: string) => CurrentCapture | undefined
  /** Set if the catalog has only a part of an index. */
  whole?: WholeIndex | undefined
  buffers: BlockBuffers
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
export function answer(request: ResolvedSearch, context: AnswerContext): SearchAnswer {
  beginSearchTime(context.timeoutMs ?? DEFAULT_SEARCH_TIMEOUT_MS, context.mostMs)
  try {
    return withAnalyzer(context.catalog.identity.analyzer, () => answerInTime(request, context))
  } finally {
    endSearchTime()
  }
}

function answerInTime(request: ResolvedSearch, context: AnswerContext): SearchAnswer {
  const { times, explain, url } = request
  const { instant, catalog, currentOf, store, buffers } = context
  const beganMs = explain ? performance.now() : 0
  const index = indexViewAt(catalog.segments, instant, times.acquired, context.whole)
  const filters = filtersOf(request, index, context)
  // A page that is looked up by its URL is not filtered.
  const filter = request.filter && url === undefined ? filters.ofRequest(request.filter) : undefined
  const { listing } = request
  const listed = listing && listingAsOf(listing, index, times.instant)
  const language = languageOfQuery(request, index)
  const version = context.whole ? context.whole.relevance : relevanceAt(store, catalog.manifest, instant)
  const relevance = version && CompiledRelevance.of(version.relevance)
  const analyzed = analyzeSearch(request, language, filters, relevance)
  if (request.weights?.fields) filters.ofWeights(request.weights.fields)
  const filterWarning = filters.check()
  const rules = rulesOf(request, { language, relevance }, index)
  const meaning = meaningIn(request, language)
  const analyzedMs = explain ? performance.now() : 0
  let countedMs = 0
  const pages = new PageReader(store)
  const limit = url !== undefined ? 0 : listing ? reachOf(listing, request.maxResults) : request.maxResults
  const asked: FindOptions = {
    published: times.published,
    sites: request.sites,
    anyOfSites: request.anyOfSites,
    excludedSites: request.excludedSites,
    filter,
    limit,
    order: listed?.order,
    titleWeight: titleWeightOf(request, version?.relevance),
    fieldWeights: request.weights?.fields ?? version?.relevance.weights?.fields,
    language,
    factors: rules?.factors,
    urlOf: captureId => pages.document(captureId).url,
    buffers,
    read: request.mode === 'realtime' || listed?.order ? undefined : candidateReader(pages, meaning, context),
    onStatistics: () => {
      if (explain) countedMs = performance.now()
    },
  }
  const address = knownAddress(request, index)
  const ofAddress = address && limit > 0 ? addressPins(address, index, asked) : []
  const pins = listed?.order ? [] : [...ofAddress, ...(rules?.pins ?? [])]
  // Pinned pages leave their places to the hits behind them.
  const options = limit > 0 && pins.length > 0 ? { ...asked, limit: limit + pins.length } : asked
  const { found, warning: findWarning } = findSearch({
    request,
    query: analyzed,
    language,
    relevance,
    index,
    catalog,
    pages,
    currentOf,
    site: address?.site,
    options,
  })
  const { query } = found
  const plain = 'condition' in query ? analyzed : query
  const all =
    url !== undefined
      ? hitOfUrl(url, index, context)
      : pins.length > 0 && !('condition' in plain)
        ? pinHits(found.hits, pins, { index, catalog, query: plain, options: { ...options, limit }, currentOf })
        : found.hits
  const page =
    listing && listed && pageOf({ request, listing, listed, found, hits: all, instant, urlOf: options.urlOf })
  const hits = page ? page.hits : all
  const emptyWarning = hits.length === 0 && !hasCurrentPage(index) ? warnOfEmptyIndex(request) : undefined
  const warnings = [
    request.reading,
    request.warning,
    filterWarning,
    listed?.warning,
    rules?.warning,
    findWarning,
    emptyWarning,
  ].filter(text => text !== undefined)
  const foundMs = explain ? performance.now() : 0
  const { snippetMaxLength } = request
  const namesLanguage = request.language !== undefined
  const source: ResultSource = {
    ...{ query, weights: found.weights, pages, store, instant, currentOf, snippetMaxLength, namesLanguage },
    explains: explain !== undefined,
  }
  const results = makeResults(hits, source)
  return {
    query: request.text,
    mode: request.mode,
    results,
    ...(warnings.length > 0 && { warning: warnings.join('; ') }),
    ...(url !== undefined && { queriedUrl: url }),
    ...page?.parts,
    receipt: {
      ...receiptOf(instant, found, catalog),
      ...(version && { relevanceSince: version.since }),
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
          if (url !== undefined) return []
          return pins.length === 0 || found.hits.includes(hit) ? found.partsOf(hit) : [pinPart]
        }),
        ...(hasStems(language) && !('condition' in query) && { language }),
      },
    }),
  }
}

/** Reads the captures that are re-ranked. */
function candidateReader(
  pages: PageReader,
  meaning: QueryMeaning | undefined,
  { table, store, whole }: AnswerContext,
): CandidateReader {
  return {
    vectorOf: captureId => pages.vector(captureId),
    meaning: meaning && (whole ? whole.similarityTo(meaning) : table && new VectorReader(meaning, table, store)),
    textOf: (captureId, units) => ({ ...pages.document(captureId), text: pages.beginning(captureId, units) }),
  }
}

/** Explains why a page is pinned. */
const pinPart: ScorePart = { signal: 'pin', weight: 0, value: 1, score: 0 }

/** What the rules of the index do to a plain query of words. */
function rulesOf(
  { syntax, url, warning, times, clock, weeksInFilters }: ResolvedSearch,
  analysis: Analysis,
  index: IndexView,
): ActiveRules | undefined {
  // An empty query, a URL or a site alone is not ranked by words.
  if (
    !analysis.relevance ||
    'tree' in syntax ||
    syntax.clauses.length === 0 ||
    url !== undefined ||
    warning !== undefined
  )
    return undefined
  const origin = deltaOrigin(times.instant, clock.requestAt, weeksInFilters)
  return activeRules(syntax.clauses, analysis, index, origin)
}

/** How often an occurrence in the title counts; undefined for as often as in the index, which needs no look at positions. */
function titleWeightOf({ weights }: ResolvedSearch, relevance: Relevance | undefined): number | undefined {
  const weight = weights?.title ?? relevance?.weights?.title
  return weight === rankingModel.titleWeight ? undefined : weight
}

/** The language of the words of a request: the one that the caller named, or the one detected; '' for none. */
function languageOfQuery({ text, language, url, onlySite }: ResolvedSearch, index: IndexView): string {
  return language ?? (url === undefined && !onlySite ? queryLanguage(text, index) : '')
}

function filtersOf(
  { times: { instant }, clock: { requestAt }, weeksInFilters }: ResolvedSearch,
  index: IndexView,
  { catalog, whole }: AnswerContext,
): FiltersAsOf {
  const origin = deltaOrigin(instant, requestAt, weeksInFilters)
  // In an index without captures every field is unknown, which is not a mistake of the caller.
  if (index.statistics.captures === 0) return new FiltersAsOf(index, { origin, instant })
  const upTo = Math.max(requestAt, index.instant)
  const namesByNow = (): readonly string[] =>
    whole ? whole.fieldNames(upTo) : new KnownFields(indexViewAt(catalog.segments, upTo)).names()
  return new FiltersAsOf(index, { origin, instant, namesByNow })
}

/**
 * The vector of a request, unless the model does not know the language of the query. Only the languages in the index identify
 * that of a short query, see `queryLanguage`.
 *
 * @param language - of the words; '' if it is unknown or English.
 */
function meaningIn({ meaning }: ResolvedSearch, language: string): QueryMeaning | undefined {
  return language === '' || !meaning?.languages || meaning.languages.includes(language) ? meaning : undefined
}

/**
 * The warning that the index has no page as of the instant. It must not reveal when the first capture was acquired, if that
 * is later.
 */
function warnOfEmptyIndex({ times: { instant } }: ResolvedSearch): string {
  return `the index holds no page${instant === undefined ? '' : ` as of ${new Date(instant).toISOString()}`}`
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

/** The page of a URL, or else the page whose URL people mean by it. */
function hitOfUrl(url: string, index: IndexView, { catalog, currentOf }: AnswerContext): Hit[] {
  let current = currentOf(url)
  if (!current) {
    const others = otherFormsOf(url)
    index.whole?.expectPages(others)
    for (const other of others) current ??= currentOf(other)
  }
  return current ? [{ ...placeOf(catalog, current.captureId, current.at), score: 1 }] : []
}

function vectorReceipt({ model, late, vector }: QueryMeaning): VectorReceipt {
  return { model, late, query: hash('sha256', vector, 'hex').slice(0, 16) }
}

function receiptOf(
  instant: number,
  { statistics, segments, undated, profile }: RankedHits,
  { identity, manifest }: Catalog,
): Receipt {
  const { format, analyzer, ranking } = identity
  return {
    instant,
    captures: statistics.captures,
    segments,
    ...{ format, analyzer, ranking, profile },
    declared: statistics.declared,
    purged: manifest.purged,
    dropped: manifest.dropped,
    ...(manifest.dropped > 0 && { retainedSince: manifest.retainedSinceAt }),
    undated,
  }
}
