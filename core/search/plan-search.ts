import { type DeltaOrigin, deltaOrigin } from '../dates/resolve-times.ts'
import { viewsAt } from '../postings/segment-view.ts'
import type { Pin, Relevance } from '../relevance/relevance.ts'
import { rankingModel } from '../segment/ranking-model.ts'
import { PageReader } from '../store/records/page-reader.ts'
import type { QueryMeaning } from '../vectors/vector-reader.ts'
import { addressPins, knownAddress } from './address-pages.ts'
import type { AnalyzedQuery } from './analysis/analyze-query.ts'
import type { AnalyzedWebql } from './analysis/analyze-webql.ts'
import { analyzeSearch } from './analyze-search.ts'
import type { AnswerContext } from './answer-context.ts'
import { isRankedByWords } from './asked.ts'
import type { IndexView } from './collection/index-view.ts'
import type { RequestFilters } from './conditions/condition.ts'
import { FiltersAsOf } from './fields/filter-as-of.ts'
import type { FindOptions } from './find-hits.ts'
import { type ListingAsOf, listingAsOf } from './listing/listing-as-of.ts'
import { reachOf } from './listing/page-of-hits.ts'
import { type ActiveRules, activeRules } from './relevance/active-rules.ts'
import { CompiledRelevance } from './relevance/compiled-relevance.ts'
import type { Analysis } from './relevance/expand-query.ts'
import type { CandidateReader } from './rerank/candidate-reader.ts'
import type { ResolvedSearch } from './resolve-search.ts'
import type { SearchWarning } from './search-answer.ts'
import { StepClock } from './step-clock.ts'
import { queryLanguage } from './terms/query-language.ts'

/** All that is decided about a search before its hits are found. */
export interface SearchPlan {
  request: ResolvedSearch
  context: AnswerContext
  clock: StepClock
  index: IndexView
  pages: PageReader
  /** The query in the terms of the index. */
  query: AnalyzedQuery | AnalyzedWebql
  /** How the query was analyzed. */
  analysis: Analysis
  /** The instant from which this version of the relevance is valid, epoch ms. Undefined if none was set. */
  relevanceSince: number | undefined
  /** The vector of the query, if the model knows its language. */
  meaning: QueryMeaning | undefined
  listed: ListingAsOf | undefined
  /** The domain of the address, if the query is one. Undefined for any other query, and if the index has no page of the domain. */
  site: string | undefined
  /** The pages with a fixed position among the hits. */
  pins: readonly Pin[]
  /** Maximum number of hits, pins included. */
  limit: number
  /** The options for finding hits. Their limit is `limit` plus the number of pins, because pinned pages may be among the hits. */
  options: FindOptions
  warnings: readonly SearchWarning[]
}

/**
 * Decides how the hits of a request are found: takes one view of the index as of the instant, with the statistics that ranking needs,
 * detects the language of the query, and analyzes the query into the terms of the index.
 *
 * @throws ASOF_INVALID_OPTION, ASOF_INVALID_QUERY - the request does not fit the fields that the index has.
 */
export function planSearch(request: ResolvedSearch, context: AnswerContext): SearchPlan {
  const { asked, listing, times } = request
  const { catalog, instant, store, collection, relevance: version } = context
  const clock = new StepClock(request)
  const index = { instant, views: viewsAt(catalog.segments, instant, times.acquired), collection }
  const filters = filtersOf(request, index)
  // A page that is looked up by its URL is not filtered.
  const filter = request.filter && asked.kind !== 'page' ? filters.ofRequest(request.filter) : undefined
  const listed = listing && listingAsOf(listing, collection, times.queryTime)
  const analysis: Analysis = {
    language: languageOfQuery(request, index),
    relevance: version && CompiledRelevance.of(version.relevance),
  }
  const query = analyzeSearch(request, analysis, filters)
  if (request.weights?.fields) filters.ofWeights(request.weights.fields)
  const filterWarnings = filters.check()
  const rules = rulesOf(request, analysis, index)
  const meaning = meaningIn(request, analysis.language)
  const pages = new PageReader(store)
  clock.planned()
  const decided = { request, context, clock, index, pages, query, analysis, meaning, listed }
  const options: FindOptions = {
    ...limitsOf(request, listed),
    filter,
    titleWeight: titleWeightOf(request, version?.relevance),
    fieldWeights: request.weights?.fields ?? version?.relevance.weights?.fields,
    language: analysis.language,
    factors: rules?.factors,
    urlOf: captureId => pages.document(captureId).url,
    buffers: context.buffers,
    read: request.mode === 'realtime' || listed?.order ? undefined : candidateReader(pages, meaning, context),
    onStatistics: () => clock.counted(),
  }
  return {
    ...decided,
    ...pinned(decided, options, rules),
    relevanceSince: version?.since,
    warnings: [...request.warnings, ...filterWarnings, ...(listed?.warnings ?? []), ...(rules?.warnings ?? [])],
  }
}

/** Returns the filters that a request has outside its query, the number of hits that it needs, and the order of the hits. */
function limitsOf(
  { asked, listing, maxResults, times, sites, anyOfSites, excludedSites }: ResolvedSearch,
  listed: ListingAsOf | undefined,
): RequestFilters & Pick<FindOptions, 'published' | 'limit' | 'order'> {
  const limit = asked.kind === 'page' ? 0 : listing ? reachOf(listing, maxResults) : maxResults
  return { published: times.published, sites, anyOfSites, excludedSites, limit, order: listed?.order }
}

/** Decides the pages with a fixed position: those of an address, then those that the rules of the index pin. */
function pinned(
  { request, index, listed }: Pick<SearchPlan, 'request' | 'index' | 'listed'>,
  options: FindOptions,
  rules: ActiveRules | undefined,
): Pick<SearchPlan, 'site' | 'pins' | 'limit' | 'options'> {
  const { limit } = options
  const address = knownAddress(request.asked, index)
  const ofAddress = address && limit > 0 ? addressPins(address, index, options) : []
  const pins = listed?.order ? [] : [...ofAddress, ...(rules?.pins ?? [])]
  // A pinned page may be a hit as well, so one more hit is needed for each pin.
  const reach = limit > 0 && pins.length > 0 ? limit + pins.length : limit
  return { site: address?.site, pins, limit, options: { ...options, limit: reach } }
}

/** Reads the captures that are re-ranked. */
function candidateReader(
  pages: PageReader,
  meaning: QueryMeaning | undefined,
  { similarityTo }: AnswerContext,
): CandidateReader {
  return {
    vectorOf: captureId => pages.vector(captureId),
    meaning: meaning && similarityTo(meaning),
    textOf: (captureId, units) => ({ ...pages.document(captureId), text: pages.beginning(captureId, units) }),
  }
}

/** Returns what the rules of the index pin and boost. Undefined if no rule applies, or if the query is not ranked by its words. */
function rulesOf(request: ResolvedSearch, analysis: Analysis, { collection }: IndexView): ActiveRules | undefined {
  const { asked } = request
  if (!analysis.relevance || !isRankedByWords(asked) || asked.clauses.length === 0) return undefined
  return activeRules(asked.clauses, analysis, collection, originOf(request))
}

/** Returns the instant from which relative times in conditions on fields count. */
function originOf({ times, origin, weeksInFilters }: ResolvedSearch): DeltaOrigin {
  return deltaOrigin(times.queryTime, origin.requestedAt, weeksInFilters)
}

/**
 * Returns the weight of an occurrence in the title, relative to one in the text. Undefined for the weight that the index was built with: then
 * positions need not be read.
 */
function titleWeightOf({ weights }: ResolvedSearch, relevance: Relevance | undefined): number | undefined {
  const weight = weights?.title ?? relevance?.weights?.title
  return weight === rankingModel.titleWeight ? undefined : weight
}

/** The language of the words of a request: the one that the caller named, or the one detected; '' for none. */
function languageOfQuery({ text, language, asked }: ResolvedSearch, index: IndexView): string {
  return language ?? (asked.kind === 'page' || asked.kind === 'site' ? '' : queryLanguage(text, index))
}

function filtersOf(request: ResolvedSearch, { instant, collection }: IndexView): FiltersAsOf {
  const { queryTime } = request.times
  const origin = originOf(request)
  // In an index without captures every field is unknown, which is not a mistake of the caller.
  if (collection.statistics.acquired === 0) return new FiltersAsOf(collection, { origin, queryTime })
  const upTo = Math.max(request.origin.requestedAt, instant)
  return new FiltersAsOf(collection, { origin, queryTime, namesByNow: () => collection.fieldNames(upTo) })
}

/**
 * Returns the vector of a request. Undefined if the model does not know the language of the query, which is detected among the languages of the
 * index, see `queryLanguage`.
 *
 * @param language - the language of the words; '' if it is unknown or English.
 */
function meaningIn({ meaning }: ResolvedSearch, language: string): QueryMeaning | undefined {
  return language === '' || !meaning?.languages || meaning.languages.includes(language) ? meaning : undefined
}
