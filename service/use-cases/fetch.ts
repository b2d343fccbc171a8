import { fieldsInJson, type Page } from '@asof/core'
import { firstCodePoints } from '../contract/code-points.ts'
import { ServiceError } from '../contract/errors.ts'
import type { FetchRequest, FetchResponse } from '../contract/page-schemas.ts'
import { checkFetchFields, type FetchChecks } from '../contract/request-check.ts'
import { limits } from '../contract/schema-parts.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import type { LinkedCall } from '../fair-shares/fair-queue.ts'
import { citationOf } from './citation.ts'
import type { LiveCall, ReadLive } from './live-page.ts'
import type { ReaderName, ReadFor } from './reader.ts'

/** The sources of an answer to a fetch. */
interface FetchSources extends FetchChecks {
  engine: IndexReads
  readLive: ReadLive
  readFor: ReadFor
}

/** The caller of a fetch, and a callback. */
export interface FetchOptions extends LiveCall, LinkedCall {
  /** Called before a fetch with a `prompt` resolves, with the kind of reader that answered it. */
  onReader?: (reader: ReaderName) => void
  /** Called with the instant that is answered for, epoch ms. */
  onInstant?: (at: number) => void
}

/**
 * Returns the error for a page that is not in the index now, or was not in the index at `instant`.
 *
 * @param advice - what the caller can do; appended to the message if `instant` is undefined.
 */
export function notIndexed(instant: number | undefined, advice = ''): ServiceError {
  const message =
    instant === undefined
      ? `The index holds no page at this URL${advice}.`
      : `The index held no page at this URL as of ${timestamp(instant)}.`
  return new ServiceError('not_indexed', message)
}

/** Returns the fields of an answer that only an indexed page has; they extend spec 2.3. */
function versionFields({ acquiredAt, supersededAt, fields }: Page) {
  return {
    acquired_at: timestamp(acquiredAt),
    superseded_at: timestamp(supersededAt),
    fields: fields && fieldsInJson(fields),
  }
}

/**
 * Answers a fetch request with the indexed page as of `query_time` or now, or with the page as its site serves it if `live`
 * is set. With a `prompt`, the content is a reader's answer from the page. The content is cut to `max_chars` characters, at
 * most 1,000,000.
 *
 * @throws ServiceError not_indexed - `live` is not set, and the index does not have the page (as of `query_time`).
 * @throws ServiceError invalid_request | address_refused - see `checkFetchFields`.
 * @throws ServiceError overloaded - a queue is full.
 * @throws ServiceError internal_error - the reader failed.
 * @throws what `readLivePage` throws.
 */
export async function answerFetch(
  { engine, readLive, readFor, ...checks }: FetchSources,
  request: FetchRequest,
  { client, signal, base, onReader, onInstant, zdr = false }: FetchOptions = {},
): Promise<FetchResponse> {
  const { url, live, prompt, max_chars } = request
  const instant = await checkFetchFields(request, checks)
  onInstant?.(instant ?? checks.now())
  const maxChars = Math.min(max_chars, limits.fetchChars.longest)
  // A reader gets the whole page (up to the limit), not only `max_chars`. A code point has at most two UTF-16 units.
  const markdownMaxLength = 2 * (prompt === undefined ? maxChars : limits.fetchChars.longest)
  const stored = live
    ? undefined
    : await engine.page(url, { queryTime: instant, supersededAt: instant !== undefined, markdownMaxLength })
  const page = live ? await readLive(url, { zdr, client, signal }) : stored
  if (!page) throw notIndexed(instant, checks.sealedAt === undefined ? '; live=true fetches it from its source' : '')
  const reading = prompt === undefined ? undefined : await readFor(page, prompt, { client, signal })
  if (reading) onReader?.(reading.reader)
  return {
    url: page.url,
    content: firstCodePoints(reading?.content ?? page.markdown, maxChars),
    title: page.title,
    description: '',
    author: page.author,
    published_at: timestamp(page.publishedAt),
    ...(stored && versionFields(stored)),
    ...(stored && request.include?.includes('citation') && { citation: citationOf(stored, { base }) }),
  }
}
