import type { Engine } from '../../core/index.ts'
import { firstCodePoints } from './code-points.ts'
import { ServiceError } from './errors.ts'
import type { ReadLiveFor } from './live-limit.ts'
import type { LiveCall } from './live-page.ts'
import type { ReaderName, ReadFor } from './reader.ts'
import { type CheckLiveUrl, checkFetchUrl } from './request-check.ts'
import type { FetchRequest, FetchResponse } from './schemas.ts'
import { timestamp } from './timestamp.ts'

/** What a fetch is answered from. */
export interface FetchSources {
  engine: Engine
  readLive: ReadLiveFor
  readFor: ReadFor
  checkLiveUrl: CheckLiveUrl
}

/** What the contract has no word for. */
export interface FetchOptions extends LiveCall {
  /** Whose share of what is limited this call takes: a network or an organisation. Default: nobody's. */
  client?: string
  /** Told which reader answered a `prompt`, before the response is there: the `X-Asof-Reader` header. */
  onReader?: (reader: ReaderName) => void
}

/**
 * Answers a fetch request: the capture as of now, or the source itself when `live`; with a `prompt` what a reader
 * answers from it. `max_chars` cuts either.
 *
 * @throws ServiceError not_indexed - not live, and the index has no such page.
 * @throws ServiceError invalid_request | address_refused - a URL that can't be fetched; see `checkFetchUrl`.
 * @throws ServiceError overloaded - too much of it is being done already.
 * @throws ServiceError internal_error - the reader failed.
 * @throws what a live fetch throws, see `readLivePage`.
 */
export async function answerFetch(
  { engine, readLive, readFor, checkLiveUrl }: FetchSources,
  request: FetchRequest,
  { client, onReader, zdr = false }: FetchOptions = {},
): Promise<FetchResponse> {
  const { url, live, prompt, max_chars } = request
  await checkFetchUrl(request, checkLiveUrl)
  const page = live ? await readLive(url, client, { zdr }) : await engine.page(url)
  if (!page) {
    throw new ServiceError('not_indexed', 'The index holds no page at this URL; live=true fetches it from its source.')
  }
  const reading = prompt === undefined ? undefined : await readFor(page, prompt, client)
  if (reading) onReader?.(reading.reader)
  return {
    url: page.url,
    content: firstCodePoints(reading?.content ?? page.markdown, max_chars),
    title: page.title,
    description: '',
    ...(page.author === undefined ? {} : { author: page.author }),
    ...(page.publishedAt === undefined ? {} : { published_at: timestamp(page.publishedAt) }),
  }
}
