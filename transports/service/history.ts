import { type PagePart, type PageVersion, queryInstant } from '../../core/index.ts'
import type { IndexReads } from './fair-index.ts'
import { notIndexed } from './fetch.ts'
import type { HistoryRequest, HistoryResponse } from './schemas.ts'
import { timestamp } from './timestamp.ts'

type WireVersion = HistoryResponse['versions'][number]

const wireParts = {
  title: 'title',
  text: 'text',
  publishedAt: 'published_at',
  author: 'author',
  description: 'description',
  lang: 'lang',
  siteName: 'site_name',
  kind: 'kind',
  data: 'data',
} as const satisfies Record<PagePart, WireVersion['changed'][number]>

function wireVersion({ kind, at, lastSeenAt, supersededAt, title, publishedAt, changed }: PageVersion): WireVersion {
  return {
    kind,
    at: timestamp(at),
    last_seen_at: timestamp(lastSeenAt),
    ...(supersededAt === undefined ? {} : { superseded_at: timestamp(supersededAt) }),
    title,
    ...(publishedAt === undefined ? {} : { published_at: timestamp(publishedAt) }),
    changed: changed.map(part => wireParts[part]),
  }
}

/**
 * Answers a history request: the versions of one page, oldest first.
 *
 * @throws ServiceError not_indexed - the index never had the page, or not by `query_time`.
 * @throws AsofError ASOF_INVALID_URL, ASOF_INVALID_TIME, ASOF_INVALID_OPTION
 */
export async function answerHistory(
  { engine, now }: { engine: IndexReads; now: () => number },
  { url, query_time, limit, after }: HistoryRequest,
): Promise<HistoryResponse> {
  const queryAt = query_time === undefined ? undefined : queryInstant(query_time, now())
  const part = await engine.versions(url, {
    limit,
    ...(queryAt === undefined ? {} : { queryTime: queryAt }),
    ...(after === undefined ? {} : { after }),
  })
  if (part.versions.length === 0 && after === undefined) throw notIndexed(queryAt)
  return {
    url: part.url,
    versions: part.versions.map(wireVersion),
    ...(part.next === undefined ? {} : { next: part.next }),
  }
}
