import type { PagePart, PageVersion } from '@asof/core'
import { queryInstant } from '@asof/core/internal'
import { refusedFields, renamingFields, toServiceError } from '../contract/errors.ts'
import { type HistoryRequest, type HistoryResponse, historyRequest, historyResponse } from '../contract/page-schemas.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { CallOf, CheckSources } from './call.ts'
import { notIndexed } from './not-indexed.ts'
import { byQueryTime } from './query-time.ts'

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
} satisfies Record<PagePart, WireVersion['changed'][number]>

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

/** A valid URL that replaces an invalid one, so that the other fields can be checked. */
const STAND_IN_URL = 'https://stand-in.invalid/'

/**
 * Checks what the schema of a history request can't: the time and the cursor. A cursor belongs to one URL, so it is not checked if the
 * URL is invalid.
 *
 * @returns the instant of `query_time`, epoch ms.
 * @throws ServiceError invalid_request - `details` names every invalid field.
 */
async function checkHistoryFields(
  { engine, now }: Pick<CheckSources, 'engine' | 'now'>,
  { url, query_time, after }: HistoryRequest,
): Promise<number | undefined> {
  const [time, cursor] = await Promise.allSettled([
    (async () => (query_time === undefined ? undefined : queryInstant(query_time, now())))(),
    after === undefined || url === STAND_IN_URL
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

/** The versions of one page, oldest first. */
export const historyCall = {
  request: historyRequest,
  response: historyResponse,
  methods: ['GET'],
  callers: 'all',
  described: { summary: 'List the versions of one page and what each changed', answer: 'The versions.' },
  past: byQueryTime<HistoryRequest>(),
  failures: ['not_indexed'],
  standIn: { url: STAND_IN_URL },
  check: async (sources, request) => {
    await checkHistoryFields(sources, request)
  },
  run: async ({ engine, now }, request) => {
    const { url, limit, after } = request
    const at = now()
    const instant = await checkHistoryFields({ engine, now: () => at }, request)
    const slice = await engine.history(url, { maxResults: limit, queryTime: instant, cursor: after })
    // The index never had the page, or did not have it yet at `query_time`.
    if (slice.versions.length === 0 && after === undefined) throw notIndexed(instant)
    const body = { url: slice.url, versions: slice.versions.map(wireVersion), next: slice.next }
    return { body, instant: instant ?? at }
  },
} satisfies CallOf<typeof historyRequest, typeof historyResponse>
