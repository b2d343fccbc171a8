import type { Engine, PagePart, PageVersion } from '@asof/core'
import { queryInstant } from '@asof/core/internal'
import { refusedFields, renamingFields, toServiceError } from '../contract/errors.ts'
import type { HistoryRequest, HistoryResponse } from '../contract/page-schemas.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import { notIndexed } from './fetch.ts'

type WireVersion = HistoryResponse['versions'][number]

const wireParts = {
  title: 'title',
  text: 'text',
  markup: 'markup',
  publishedAt: 'published_at',
  author: 'author',
  description: 'description',
  lang: 'lang',
  siteName: 'site_name',
  kind: 'kind',
  data: 'data',
  fields: 'fields',
} as const satisfies Record<PagePart, WireVersion['changed'][number]>

function wireVersion({ kind, at, lastSeenAt, supersededAt, title, publishedAt, changed }: PageVersion): WireVersion {
  return {
    kind,
    at: timestamp(at),
    last_seen_at: timestamp(lastSeenAt),
    superseded_at: timestamp(supersededAt),
    title,
    published_at: timestamp(publishedAt),
    changed: changed.map(part => wireParts[part]),
  }
}

/** The fields of a history request that its schema can't check completely. */
type CheckedFields = Pick<HistoryRequest, 'url' | 'query_time' | 'after'>

/**
 * Checks what the schema of a history request can't: the time and the cursor.
 *
 * @returns the instant of `query_time`, epoch ms.
 * @throws ServiceError invalid_request - `details` names every invalid field.
 */
export async function checkHistoryFields(
  { engine, now }: { engine: Pick<Engine, 'history'>; now: () => number },
  { url, query_time, after }: CheckedFields,
): Promise<number | undefined> {
  const [time, cursor] = await Promise.allSettled([
    (async () => (query_time === undefined ? undefined : queryInstant(query_time, now())))(),
    after === undefined
      ? undefined
      : engine.history(url, { maxResults: 1, cursor: after }).catch(error => {
          throw renamingFields(toServiceError(error), path => (path === 'cursor' ? 'after' : path))
        }),
  ])
  if (time.status === 'fulfilled' && cursor.status === 'fulfilled') return time.value
  const failures = [time, cursor].flatMap(end => (end.status === 'rejected' ? toServiceError(end.reason) : []))
  const [first, second] = failures
  if (first?.details && second?.details) throw refusedFields('invalid_request', [...first.details, ...second.details])
  throw first
}

/**
 * Answers a history request: the versions of one page, oldest first.
 *
 * @throws ServiceError not_indexed - the index never had the page, or did not have it yet at `query_time`.
 * @throws ServiceError invalid_request - see `checkHistoryFields`.
 */
export async function answerHistory(
  { engine, now }: { engine: IndexReads; now: () => number },
  request: HistoryRequest,
): Promise<HistoryResponse> {
  const { url, limit, after } = request
  const instant = await checkHistoryFields({ engine, now }, request)
  const slice = await engine.history(url, { maxResults: limit, queryTime: instant, cursor: after })
  if (slice.versions.length === 0 && after === undefined) throw notIndexed(instant)
  return { url: slice.url, versions: slice.versions.map(wireVersion), next: slice.next }
}
