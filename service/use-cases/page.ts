import { fieldsInJson } from '@asof/core'
import { queryInstant } from '@asof/core/internal'
import { firstCodePoints } from '../contract/code-points.ts'
import type { PageRequest, PageResponse } from '../contract/page-schemas.ts'
import { limits } from '../contract/schema-parts.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import { citationOf } from './citation.ts'
import { notIndexed } from './fetch.ts'

/**
 * Answers with all that the index has of one page as of `query_time` or now: its Markdown, its metadata, where its publish date was
 * found, its structured data and its fields. The Markdown is cut to `max_chars` characters, at most 1,000,000.
 *
 * @throws ServiceError not_indexed - the index does not have the page as of that instant.
 * @throws ServiceError invalid_request - `query_time` is in no known format, or in the future.
 */
export async function answerPage(
  { engine, now, base }: { engine: IndexReads; now: () => number; base: string | undefined },
  { url, query_time, max_chars, include }: PageRequest,
): Promise<PageResponse> {
  const instant = query_time === undefined ? undefined : queryInstant(query_time, now())
  const maxChars = Math.min(max_chars, limits.fetchChars.longest)
  // A code point has at most two UTF-16 units. One unit more shows that the content was cut.
  const page = await engine.page(url, { queryTime: instant, markdownMaxLength: 2 * maxChars + 1 })
  if (!page) throw notIndexed(instant)
  const content = firstCodePoints(page.markdown, maxChars)
  return {
    url: page.url,
    title: page.title,
    content,
    truncated: content.length < page.markdown.length,
    author: page.author,
    description: page.description,
    site_name: page.siteName,
    lang: page.lang,
    kind: page.kind,
    published_at: timestamp(page.publishedAt),
    published_from: page.publishedFrom,
    acquired_at: timestamp(page.acquiredAt),
    revised_at: timestamp(page.revisedAt),
    last_seen_at: timestamp(page.lastSeenAt),
    data: page.data,
    fields: page.fields && fieldsInJson(page.fields),
    citation: include?.includes('citation') ? citationOf(page, { base }) : undefined,
  }
}
