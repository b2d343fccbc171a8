import type { AnswerTimings, Receipt, SearchAnswer, SearchResult, Snippet } from './engine.ts'
import type { CurrentCapture } from './ingest/history.ts'
import { type FindOptions, type Found, findHits } from './search/find-hits.ts'
import type { SearchRequest } from './search/search-request.ts'
import type { Hit } from './search/top-hits.ts'
import { findWebqlHits } from './search/webql/find-webql-hits.ts'
import { scannedPattern } from './search/webql/term-pattern.ts'
import { makeSnippet } from './snippet/snippet.ts'
import { type Catalog, placeOf } from './store/catalog.ts'
import type { StoredValues } from './store/store-reader.ts'
import { readBody, readDocument, readText } from './store/stored-page.ts'
import { TermScanner } from './text/term-scanner.ts'
import { analyzerIdentity } from './text/tokens.ts'

/** What an answer is made from: one state of the index, one reading of the clock. */
export interface AnswerContext {
  store: StoredValues
  catalog: Catalog
  /** Epoch ms. */
  instant: number
  /** The capture that is current at the instant under a URL or an alias of it. */
  currentOf: (url: string) => CurrentCapture | undefined
}

/** Answers a search request: see `Engine.search`. */
export function answer(text: string, request: SearchRequest, context: AnswerContext): SearchAnswer {
  const { instant, store } = context
  const beganMs = request.explain ? performance.now() : 0
  let countedMs = 0
  const { query } = request
  const options: FindOptions = {
    times: request.times,
    instant,
    sites: request.sites,
    limit: request.url === undefined ? request.maxResults : 0,
    urlOf: captureId => readDocument(store, captureId).url,
    ...(request.mode === 'pro' && {
      sourceOf: (captureId, units) => {
        const { title } = readDocument(store, captureId)
        return { title, text: beginningOf(readText(store, captureId), units) }
      },
    }),
    ...(request.explain && {
      onStatistics: () => {
        countedMs = performance.now()
      },
    }),
  }
  const { segments } = context.catalog
  const found = 'condition' in query ? findWebqlHits(segments, query, options) : findHits(segments, query, options)
  const hits = request.url === undefined ? found.hits : hitOfUrl(request.url, context)
  const foundMs = request.explain ? performance.now() : 0
  const patterns = 'condition' in query ? query.patterns.filter(({ scores }) => scores) : []
  const scanner = new TermScanner(
    query.terms.map(({ term }) => term),
    patterns.map(scannedPattern),
  )
  const snippetOf = (captureId: number): Snippet => {
    if (request.snippetMaxLength === 0) return { text: '', highlights: [] }
    const source = {
      text: readText(store, captureId),
      description: () => readBody(store, captureId).details.description,
    }
    return makeSnippet(source, { scanner, weights: found.weights }, request.snippetMaxLength)
  }
  const results = hits.map(hit => resultOf(hit, snippetOf, store))
  return {
    query: text,
    mode: request.mode,
    results,
    ...(request.warning !== undefined && { warning: request.warning }),
    ...(request.url !== undefined && { queriedUrl: request.url }),
    receipt: receiptOf(instant, found, context.catalog),
    ...(request.explain && {
      explain: {
        timings: timingsOf(request.explain.parseMs, beganMs, countedMs, foundMs, performance.now()),
        scores: hits.map(hit => (request.url === undefined ? found.partsOf(hit) : [])),
      },
    }),
  }
}

function beginningOf(pieces: Iterable<string>, units: number): string {
  for (const piece of pieces) return piece.slice(0, units)
  return ''
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

function resultOf(hit: Hit, snippetOf: (captureId: number) => Snippet, store: StoredValues): SearchResult {
  const { columns } = hit.segment
  const captureId = columns.captureIds[hit.ordinal]
  const document = readDocument(store, captureId)
  const publishedAt = columns.publishedAt[hit.ordinal]
  return {
    url: document.url,
    title: document.title,
    score: hit.score,
    snippet: snippetOf(captureId),
    ...(!Number.isNaN(publishedAt) && { publishedAt }),
    acquiredAt: columns.acquiredAt[hit.ordinal],
  }
}

function receiptOf(instant: number, { statistics, segments, undated, profile }: Found, { manifest }: Catalog): Receipt {
  return {
    instant,
    captures: statistics.captures,
    segments,
    profile,
    analyzer: analyzerIdentity,
    declared: statistics.declared,
    purged: manifest.purged,
    dropped: manifest.dropped,
    ...(manifest.dropped > 0 && { retainedSince: manifest.retainedSinceAt }),
    undated,
  }
}
