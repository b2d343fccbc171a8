import type { Page } from '@asof/core'
import { firstCodePoints } from '../contract/code-points.ts'
import { ServiceError } from '../contract/errors.ts'
import { type CheckLiveUrl, checkFetchFields } from '../contract/request-check.ts'
import { type FetchRequest, type FetchResponse, limits } from '../contract/schemas.ts'
import { timestamp } from '../contract/timestamp.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import type { ReadLive } from './live-limit.ts'
import type { LiveCall } from './live-page.ts'
import type { ReaderName, ReadFor } from './reader.ts'

/** What a fetch is answered from. */
export interface FetchSources {
  engine: IndexReads
  readLive: ReadLive
  readFor: ReadFor
  checkLiveUrl: CheckLiveUrl
  /** The clock that a relative `query_time` is measured from, epoch ms. */
  now: () => number
}

/** What the contract has no word for. */
export interface FetchOptions extends LiveCall {
  /** Told which reader answered a `prompt`, before the response is there: the `X-Asof-Reader` header. */
  onReader?: (reader: ReaderName) => void
}

/**
 * Says that the index has no page, and as of when if that was asked.
 *
 * @param advice - what to do when the index has none now.
 */
export function notIndexed(queryAt: number | undefined, advice = ''): ServiceError {
  const message =
    queryAt === undefined
      ? `The index holds no page at this URL${advice}.`
      : `The index held no page at this URL as of ${timestamp(queryAt)}.`
  return new ServiceError('not_indexed', message)
}

/** The fields that a page from the index has besides those of spec 2.3. */
function versionFields({ acquiredAt, supersededAt }: Page) {
  return {
    acquired_at: timestamp(acquiredAt),
    ...(supersededAt === undefined ? {} : { superseded_at: timestamp(supersededAt) }),
  }
}

/**
 * Answers a fetch request: the page as of `query_time` or now, or the source itself when `live`; with a `prompt` what a
 * reader answers from it. `max_chars` cuts either, and 1,000,000 characters are the most of either.
 *
 * @throws ServiceError not_indexed - not live, and the index has no such page, or had none at `query_time`.
 * @throws ServiceError invalid_request | address_refused - see `checkFetchFields`.
 * @throws ServiceError overloaded - too much of it is being done already.
 * @throws ServiceError internal_error - the reader failed.
 * @throws what a live fetch throws, see `readLivePage`.
 */
export async function answerFetch(
  { engine, readLive, readFor, checkLiveUrl, now }: FetchSources,
  request: FetchRequest,
  { client, signal, onReader, zdr = false }: FetchOptions = {},
): Promise<FetchResponse> {
  const { url, live, prompt, max_chars } = request
  const queryAt = await checkFetchFields(request, { checkLiveUrl, now })
  const asOf = queryAt === undefined ? {} : { queryTime: queryAt, supersededAt: true }
  const stored = live ? undefined : await engine.page(url, asOf)
  const page = live ? await readLive(url, { zdr, client, signal }) : stored
  if (!page) throw notIndexed(queryAt, '; live=true fetches it from its source')
  const reading = prompt === undefined ? undefined : await readFor(page, prompt, { client, signal })
  if (reading) onReader?.(reading.reader)
  return {
    url: page.url,
    content: firstCodePoints(reading?.content ?? page.markdown, Math.min(max_chars, limits.fetchChars.longest)),
    title: page.title,
    description: '',
    ...(page.author === undefined ? {} : { author: page.author }),
    ...(page.publishedAt === undefined ? {} : { published_at: timestamp(page.publishedAt) }),
    ...(stored && versionFields(stored)),
  }
}
