import { fieldsInJson } from '@asof/core'
import { queryInstant } from '@asof/core/internal'
import { firstCodePoints } from '../contract/code-points.ts'
import { type PageRequest, pageRequest, pageResponse } from '../contract/page-schemas.ts'
import { limits } from '../contract/schema-parts.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { CallOf } from './call.ts'
import { citationOf } from './citation.ts'
import { notIndexed } from './not-indexed.ts'
import { pageMetadata } from './page-metadata.ts'
import { byQueryTime } from './query-time.ts'

/**
 * All that the index has of one page as of `query_time` or now: its Markdown, its metadata, where its publish date was found, its
 * structured data and its fields. The Markdown is cut to `max_chars` characters, at most 1,000,000.
 */
export const pageCall = {
  request: pageRequest,
  response: pageResponse,
  methods: ['GET'],
  callers: 'keyless',
  described: {
    summary: 'Read all that the index has of one page: its markdown, metadata, structured data and fields',
    answer: 'The page.',
  },
  past: byQueryTime<PageRequest>(),
  failures: ['not_indexed'],
  run: async ({ engine, now }, { url, query_time, max_chars, include }, { base }) => {
    const at = now()
    const instant = query_time === undefined ? undefined : queryInstant(query_time, at)
    const maxChars = Math.min(max_chars, limits.fetchChars.longest)
    // A code point has at most two UTF-16 units. One unit more shows that the content was cut.
    const found = await engine.page(url, { queryTime: instant, markdownMaxLength: 2 * maxChars + 1 })
    if (!found) throw notIndexed(instant)
    const content = firstCodePoints(found.markdown, maxChars)
    const { published_from, revised_at, last_seen_at: _, data, ...described } = pageMetadata(found)
    const body = {
      url: found.url,
      title: found.title,
      content,
      truncated: content.length < found.markdown.length,
      author: found.author,
      ...described,
      published_at: timestamp(found.publishedAt),
      published_from,
      acquired_at: timestamp(found.acquiredAt),
      revised_at,
      last_seen_at: timestamp(found.lastSeenAt),
      data,
      fields: found.fields && fieldsInJson(found.fields),
      citation: include?.includes('citation') ? citationOf(found, { base }) : undefined,
    }
    return { body, instant: instant ?? at }
  },
} satisfies CallOf<typeof pageRequest, typeof pageResponse>
