import { hash } from 'node:crypto'
import { checkSearchTime } from '../postings/search-time.ts'
import { hasStems } from '../text/terms/language-terms.ts'
import type { QueryMeaning } from '../vectors/vector-reader.ts'
import { warningsOf } from './answer-warnings.ts'
import type { SearchedHits } from './find-search.ts'
import type { ListedHits } from './list-hits.ts'
import type { SearchPlan } from './plan-search.ts'
import type { ResolvedSearch } from './resolve-search.ts'
import { makeResults } from './results.ts'
import type { Explanation, Receipt, ScorePart, SearchAnswer, SearchWarning, VectorReceipt } from './search-answer.ts'

/** Makes the answer with the hits that it shows: reads their pages, and adds the receipt. */
export function showHits(
  plan: SearchPlan,
  { found, warnings }: SearchedHits,
  { hits, parts }: ListedHits,
): SearchAnswer {
  const { request, context, clock, index, pages } = plan
  const { store, instant, currentOf } = context
  const isEmpty = index.collection.statistics.captures === 0
  clock.found()
  const results = makeResults(hits, {
    query: found.query,
    weights: found.weights,
    pages,
    store,
    instant,
    currentOf,
    snippetMaxLength: request.snippetMaxLength,
    contentMaxLength: request.contentMaxLength,
    details: request.details,
    titleHighlights: request.titleHighlights,
    matchedPlaces: request.matchedPlaces === true,
    namesLanguage: request.language !== undefined,
    explains: request.explain !== undefined,
  })
  const answer: SearchAnswer = {
    query: request.text,
    mode: request.mode,
    results,
    ...warningsOf([...plan.warnings, ...warnings].concat(isEmpty ? emptyIndex(request) : [])),
    ...parts,
    scoreBound: found.scoreBound,
    receipt: receiptOf(plan, found),
  }
  if (request.asked.kind === 'page') answer.queriedUrl = request.asked.url
  if (request.explain) answer.explain = explanationOf(plan, found, hits)
  return answer
}

/**
 * The warning that the index has no page as of the instant. It must not reveal when the first capture was acquired, if that
 * is later.
 */
function emptyIndex({ times: { queryTime } }: ResolvedSearch): SearchWarning {
  const when = queryTime === undefined ? '' : ` as of ${new Date(queryTime).toISOString()}`
  return { code: 'no-page', text: `the index holds no page${when}` }
}

/** The explanation of the score of a pinned page, which is 0. */
const pinPart: ScorePart = { signal: 'pin', weight: 0, value: 1, score: 0 }

function explanationOf(
  { clock, analysis, pins }: SearchPlan,
  { query, hits: found, partsOf }: SearchedHits['found'],
  hits: ListedHits['hits'],
): Explanation {
  const explanation: Explanation = {
    timings: clock.timings(),
    scores: hits.map(hit => {
      checkSearchTime()
      return pins.length === 0 || found.includes(hit) ? partsOf(hit) : [pinPart]
    }),
  }
  if (hasStems(analysis.language) && !('condition' in query)) explanation.language = analysis.language
  return explanation
}

function receiptOf(
  { context: { instant, catalog }, relevanceSince, meaning }: SearchPlan,
  { statistics, segments, undated, profile, compared }: SearchedHits['found'],
): Receipt {
  const { identity, manifest } = catalog
  const { format, analyzer, ranking } = identity
  const receipt: Receipt = {
    instant,
    captures: statistics.captures,
    segments,
    format,
    analyzer,
    ranking,
    profile,
    declared: statistics.declared,
    purged: manifest.purged,
    dropped: manifest.dropped,
    undated,
  }
  if (manifest.dropped > 0) receipt.retainedSince = manifest.retainedSinceAt
  if (relevanceSince !== undefined) receipt.relevanceSince = relevanceSince
  if (meaning) receipt.vectors = vectorReceipt(meaning, compared)
  return receipt
}

function vectorReceipt({ model, late, vector }: QueryMeaning, compared = 0): VectorReceipt {
  return { model, compared, late, query: hash('sha256', vector, 'hex').slice(0, 16) }
}
