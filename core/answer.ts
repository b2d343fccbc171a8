import type { Receipt, SearchAnswer, SearchResult, Snippet } from './engine.ts'
import { TITLE_GAP } from './ingest/analyzed-group.ts'
import type { CurrentCapture } from './ingest/history.ts'
import { type Found, findHits, RANKING_PROFILE } from './search/find-hits.ts'
import { MatchFinder } from './search/match-finder.ts'
import type { SearchRequest } from './search/search-request.ts'
import type { Hit } from './search/top-hits.ts'
import { makeSnippet } from './snippet/snippet.ts'
import { type Catalog, placeOf } from './store/catalog.ts'
import type { DocumentRecord } from './store/documents.ts'
import type { Store } from './store/store.ts'
import { readBody, readDocument } from './store/stored-page.ts'
import { analyzerIdentity } from './text/tokens.ts'

/** What an answer is made from: one state of the index, one reading of the clock. */
export interface AnswerContext {
  store: Store
  catalog: Catalog
  /** Epoch ms. */
  instant: number
  /** The capture that is current at the instant under a URL or an alias of it. */
  currentOf: (url: string) => CurrentCapture | undefined
}

/** Answers a search request: see `Engine.search`. */
export function answer(text: string, request: SearchRequest, context: AnswerContext): SearchAnswer {
  const { instant } = context
  const found = findHits(context.catalog.segments, request.query, {
    times: request.times,
    instant,
    sites: request.sites,
    limit: request.url === undefined ? request.maxResults : 1,
    urlOf: captureId => readDocument(context.store, captureId).url,
  })
  const hits = request.url === undefined ? found.hits : hitOfUrl(request.url, context)
  const terms = request.query.terms.map(({ term }) => term)
  const finder = new MatchFinder(terms)
  const snippetOf = ({ segment, ordinal }: Hit, document: DocumentRecord): Snippet => {
    if (request.snippetMaxLength === 0) return { text: '', highlights: [] }
    const { details, markdown, samples } = readBody(context.store, document)
    const matches = finder.matches(segment, ordinal, document.titlePositions + TITLE_GAP)
    const source = { markdown, samples, ...(details.description !== undefined && { description: details.description }) }
    return makeSnippet(source, { terms, weights: found.weights, matches }, request.snippetMaxLength)
  }
  return {
    query: text,
    mode: request.mode,
    results: hits.map(hit => resultOf(hit, snippetOf, context)),
    ...(request.warning !== undefined && { warning: request.warning }),
    ...(request.url !== undefined && { queriedUrl: request.url }),
    receipt: receiptOf(instant, found, context.catalog),
  }
}

function hitOfUrl(url: string, { catalog, currentOf }: AnswerContext): Hit[] {
  const current = currentOf(url)
  return current ? [{ ...placeOf(catalog, current.captureId, current.at), score: 1 }] : []
}

function resultOf(
  hit: Hit,
  snippetOf: (hit: Hit, document: DocumentRecord) => Snippet,
  { store }: AnswerContext,
): SearchResult {
  const { columns } = hit.segment
  const document = readDocument(store, columns.captureIds[hit.ordinal])
  const publishedAt = columns.publishedAt[hit.ordinal]
  return {
    url: document.url,
    title: document.title,
    score: hit.score,
    snippet: snippetOf(hit, document),
    ...(!Number.isNaN(publishedAt) && { publishedAt }),
    acquiredAt: columns.acquiredAt[hit.ordinal],
  }
}

function receiptOf(instant: number, { statistics, segments, undated }: Found, { manifest }: Catalog): Receipt {
  return {
    instant,
    captures: statistics.captures,
    segments,
    profile: RANKING_PROFILE,
    analyzer: analyzerIdentity,
    declared: statistics.declared,
    purged: manifest.purged,
    undated,
  }
}
