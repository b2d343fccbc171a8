import { fieldsInJson, type SearchResult } from '@asof/core'
import { firstCodePoints } from '../contract/code-points.ts'
import { contentChars } from '../contract/content-length.ts'
import type { SearchRequest, SearchResponse } from '../contract/search-schemas.ts'
import { includes, markedRanges, markSnippet, timestamp } from '../contract/wire-form.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import { CITED_UNITS, citationOf } from './citation.ts'
import type { LivePage } from './live-page.ts'

export type WireResult = SearchResponse['results'][number]

const DEFAULT_SNIPPET_CHARS = 600

interface Titled {
  title: string
  url: string
  publishedAt?: number
  acquiredAt: number
}

function wireResultOf({ title, url, publishedAt, acquiredAt }: Titled, snippet: string): WireResult {
  const dates = { published_at: timestamp(publishedAt), acquired_at: timestamp(acquiredAt) }
  return { title, url, description: '', snippet: snippet === '' ? undefined : snippet, ...dates }
}

function wireResult(found: SearchResult, chars: number): WireResult {
  const { language, fields, snippet, titleHighlights, passages, publishedFrom } = found
  return {
    ...wireResultOf(found, markSnippet(snippet)),
    title_highlights: titleHighlights,
    snippet_highlights: snippet.text === '' ? undefined : markedRanges(snippet),
    content: found.content === undefined ? undefined : firstCodePoints(found.content, chars),
    passages,
    published_from: publishedFrom,
    language,
    fields: fields && fieldsInJson(fields),
  }
}

/** Where results were found. */
interface FoundIn {
  engine: IndexReads
  /** The address of the server, for links. */
  base: string | undefined
  /** True if the query is a URL, so that its page was looked up and has no score. */
  isLookup: boolean
}

/** Returns results of the index as the wire has them, with the parts that the request includes. */
export async function wireResults(
  found: readonly SearchResult[],
  request: SearchRequest,
  foundIn: FoundIn,
): Promise<WireResult[]> {
  const chars = contentChars(request)
  const scores = includes(request, 'score') && !foundIn.isLookup ? placedScores(found, request) : []
  const results = found.map((one, i): WireResult => {
    const result = wireResult(one, chars)
    if (includes(request, 'author')) result.author = one.author
    if (includes(request, 'last_seen_at')) result.last_seen_at = timestamp(one.lastSeenAt)
    if (scores[i] !== undefined) result.score = scores[i]
    return result
  })
  return includes(request, 'citation') ? await withCitations(found, results, foundIn) : results
}

/**
 * Returns the score by which each result has its place: its own, or a higher one of a result after it. A page comes before a better one if a rule
 * pins it, or if the host of the better one has enough results. In an order by value, each page has its own score.
 */
export function placedScores(found: readonly { score: number }[], { sort }: Pick<SearchRequest, 'sort'>): number[] {
  const scores = found.map(({ score }) => score)
  if (sort !== undefined && !/^\s*score\b/.test(sort)) return scores
  let least = Number.NEGATIVE_INFINITY
  return scores
    .toReversed()
    .map(score => {
      least = Math.max(least, score)
      return least
    })
    .reverse()
}

/** Adds to each result a link to its version. A result whose page was purged after the search has none. */
async function withCitations(
  found: readonly SearchResult[],
  results: readonly WireResult[],
  { engine, base }: FoundIn,
): Promise<WireResult[]> {
  const pages = await Promise.all(
    found.map(({ url, acquiredAt }) => engine.page(url, { queryTime: acquiredAt, markdownMaxLength: CITED_UNITS })),
  )
  return results.map(result => {
    const i = found.findIndex(({ url }) => url === result.url)
    const [page, given] = [pages[i], found[i]]
    if (!page || page.acquiredAt !== given?.acquiredAt) return result
    const { title, publishedAt, snippet } = given
    return { ...result, citation: citationOf({ ...page, title, publishedAt }, { base, snippet }) }
  })
}

/** Returns the result for a page fetched live. The snippet is the description or the beginning of the page. */
export function liveResult(page: LivePage, request: SearchRequest): WireResult {
  const text = (page.description || page.markdown).replace(/\s+/g, ' ').trim()
  const result = wireResultOf(page, firstCodePoints(text, request.snippet_max_length ?? DEFAULT_SNIPPET_CHARS))
  const chars = contentChars(request)
  if (chars > 0) result.content = firstCodePoints(page.markdown, chars)
  if (includes(request, 'author')) result.author = page.author
  return result
}
