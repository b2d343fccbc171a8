import { fieldsInJson, type SearchResult } from '@asof/core'
import { firstCodePoints } from '../contract/code-points.ts'
import type { SearchRequest, SearchResponse } from '../contract/search-schemas.ts'
import { markedRanges, markSnippet, timestamp } from '../contract/wire-form.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import { CITED_UNITS, citationOf } from './citation.ts'
import type { LivePage } from './live-page.ts'

export type WireResult = SearchResponse['results'][number]

const DEFAULT_SNIPPET_CHARS = 600
/** Maximum number of code points of a page's content in `realtime_content`. */
const CONTENT_CHARS = 20_000

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

function wireResult(found: SearchResult): WireResult {
  const { language, fields, snippet, titleHighlights, publishedFrom } = found
  return {
    ...wireResultOf(found, markSnippet(snippet)),
    title_highlights: titleHighlights,
    snippet_highlights: snippet.text === '' ? undefined : markedRanges(snippet),
    published_from: publishedFrom,
    language,
    fields: fields && fieldsInJson(fields),
  }
}

function wantsContent({ mode }: SearchRequest): boolean {
  return mode === 'realtime_content'
}

/** The index that found results, the instant that they were found at (epoch ms), and the address of the server for links. */
interface FoundIn {
  engine: IndexReads
  instant: number
  base: string | undefined
}

/** Returns results as the wire has them, with the content and the citations that the request asks for. */
export async function wireResults(
  found: readonly SearchResult[],
  request: SearchRequest,
  foundIn: FoundIn,
): Promise<WireResult[]> {
  const results = wantsContent(request) ? await withContent(found, foundIn) : found.map(wireResult)
  return request.include?.includes('citation') ? await withCitations(found, results, foundIn) : results
}

/**
 * Adds to each result the content of its page as of the instant of the answer. Leaves out pages that were purged after the
 * search.
 */
async function withContent(
  found: readonly SearchResult[],
  { engine, instant }: Pick<FoundIn, 'engine' | 'instant'>,
): Promise<WireResult[]> {
  // A code point has at most two UTF-16 units.
  const pages = await Promise.all(
    found.map(({ url }) => engine.page(url, { queryTime: instant, markdownMaxLength: 2 * CONTENT_CHARS })),
  )
  return found.flatMap((result, i) => {
    const page = pages[i]
    return page ? [{ ...wireResult(result), content: firstCodePoints(page.markdown, CONTENT_CHARS) }] : []
  })
}

/** Adds to each result a link to its version. A result whose page was purged after the search has none. */
async function withCitations(
  found: readonly SearchResult[],
  results: readonly WireResult[],
  { engine, base }: Pick<FoundIn, 'engine' | 'base'>,
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
  return wantsContent(request) ? { ...result, content: firstCodePoints(page.markdown, CONTENT_CHARS) } : result
}
