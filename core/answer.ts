import type { Receipt, SearchAnswer, SearchOptions, SearchResult, Snippet } from './engine.ts'
import { TITLE_GAP } from './ingest/analyzed-group.ts'
import { currentAt } from './ingest/history.ts'
import { type Found, findHits, RANKING_PROFILE } from './search/find-hits.ts'
import { MatchFinder } from './search/match-finder.ts'
import { readRequest } from './search/search-request.ts'
import type { Hit } from './search/top-hits.ts'
import { makeSnippet } from './snippet/snippet.ts'
import { type Catalog, placeOf } from './store/catalog.ts'
import type { DocumentRecord } from './store/documents.ts'
import type { Store } from './store/store.ts'
import { readBody, readDocument } from './store/stored-page.ts'
import type { UrlRecord } from './store/url-record.ts'
import { analyzerIdentity } from './text/tokens.ts'

/** What an answer is made from: one state of the index, one reading of the clock. */
export interface AnswerContext {
  store: Store
  catalog: Catalog
  /** Epoch ms. */
  requestAt: number
  /** Told of the instant answered as of, before anything is read. */
  noteAnswer: (instant: number) => void
  /** The history of the page found under a URL or an alias of it. */
  recordOf: (url: string) => UrlRecord | undefined
}

/** Answers a search request: see `Engine.search`. */
export function answer(text: string, options: SearchOptions, context: AnswerContext): SearchAnswer {
  const request = readRequest(text, options, context.requestAt)
  const instant = request.times.queryAt ?? context.requestAt
  context.noteAnswer(instant)
  const found = findHits(context.catalog.segments, request.query, {
    times: request.times,
    instant,
    sites: request.sites,
    limit: request.url === undefined ? request.maxResults : 1,
    urlOf: captureId => readDocument(context.store, captureId).url,
  })
  const hits = request.url === undefined ? found.hits : hitOfUrl(request.url, instant, context)
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

function hitOfUrl(url: string, instant: number, { catalog, recordOf }: AnswerContext): Hit[] {
  const record = recordOf(url)
  const current = record && currentAt(record, instant)
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
