import type { Receipt, SearchAnswer, SearchOptions, SearchResult, Snippet } from './engine.ts'
import { TITLE_GAP } from './ingest/analyzed-group.ts'
import { currentAt } from './ingest/history.ts'
import { type Found, findHits, RANKING_PROFILE } from './search/find-hits.ts'
import { matchesIn } from './search/matches.ts'
import { readRequest, type SearchRequest } from './search/search-request.ts'
import type { Hit } from './search/top-hits.ts'
import { makeSnippet } from './snippet/snippet.ts'
import { type Catalog, placeOf } from './store/catalog.ts'
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
  return {
    query: text,
    mode: request.mode,
    results: hits.map(hit => resultOf(hit, request, found, context)),
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

function resultOf(hit: Hit, request: SearchRequest, { weights }: Found, { store }: AnswerContext): SearchResult {
  const { segment, ordinal, score } = hit
  const { columns } = segment
  const document = readDocument(store, columns.captureIds[ordinal])
  const publishedAt = columns.publishedAt[ordinal]
  const snippet = (): Snippet => {
    const { details, markdown, samples } = readBody(store, document)
    const terms = request.query.terms.map(({ term }) => term)
    const matches = matchesIn(segment, ordinal, terms, document.titlePositions + TITLE_GAP)
    const source = { markdown, samples, ...(details.description !== undefined && { description: details.description }) }
    return makeSnippet(source, { terms, weights, matches }, request.snippetMaxLength)
  }
  return {
    url: document.url,
    title: document.title,
    score,
    snippet: request.snippetMaxLength === 0 ? { text: '', highlights: [] } : snippet(),
    ...(!Number.isNaN(publishedAt) && { publishedAt }),
    acquiredAt: columns.acquiredAt[ordinal],
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
