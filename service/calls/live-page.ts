import type { ExtractedPage, ExtractOptions, Page } from '@asof/core'
import { parseInstant } from '@asof/core/internal'
import { CrawlError } from '../../crawler/errors.ts'
import type { FetchedPage } from '../../crawler/index.ts'
import { refusedFields, ServiceError } from '../contract/errors.ts'
import { type ClientCall, FairQueue } from '../fair-shares/fair-queue.ts'

/** A fetched page. The headers and redirects are present if the fetcher reports them. */
export type LiveFetched = Pick<FetchedPage, 'url' | 'body' | 'contentType'> &
  Partial<Pick<FetchedPage, 'headers' | 'redirects'>>

/**
 * Fetches a page, such as `fetchPage` of `asof/crawler`. `onRedirect` is awaited before each redirect is followed; if it rejects, so
 * does the fetch.
 *
 * @throws AsofError - status, address, unreachable, timeout, too large; what `onRedirect` rejects with.
 */
export type FetchPage = (
  url: string,
  options: {
    allowPrivate: boolean
    totalTimeoutMs: number
    maxBytes: number
    signal: AbortSignal
    onRedirect: (url: string) => Promise<void>
  },
) => Promise<LiveFetched>

/** Extracts a page. @param call - the client for whom the page is extracted, and a signal that ends the extraction. */
export type ExtractLivePage = (bytes: Uint8Array, options: ExtractOptions, call?: ClientCall) => Promise<ExtractedPage>

/** A page as its site serves it now. */
export type LivePage = Pick<
  Page,
  | 'url'
  | 'title'
  | 'author'
  | 'description'
  | 'siteName'
  | 'lang'
  | 'kind'
  | 'data'
  | 'publishedAt'
  | 'publishedFrom'
  | 'acquiredAt'
  | 'markdown'
>

/** How pages are fetched live, see {@link visitLivePage}. */
export interface LiveSource {
  /** Fetches a page, such as `fetchPage` of `asof/crawler`. */
  fetchPage: FetchPage
  /** Extracts a fetched page, such as {@link LiveExtraction.extract}. */
  extract: ExtractLivePage
  /** The current time, epoch ms. */
  now: () => number
  /** Allows fetching from loopback, private and other special addresses. */
  allowPrivate: boolean
  /** Rejects if robots.txt disallows a URL. Called for redirects too. Default: robots.txt is not read. */
  mayFetch?: (url: string, signal: AbortSignal) => Promise<unknown>
  /** Stores a page in the index. Default: pages are not stored. */
  store?: (fetched: LiveFetched, extracted: ExtractedPage) => Promise<unknown>
  /** Called if a page could not be stored; the request is answered anyway. Default: a process warning. */
  onStoreFailure?: (url: string, failure: unknown) => void
  /** Time limit for robots.txt, fetching and extraction together, ms. Default 30,000. */
  timeoutMs?: number
}

/** The caller for whom a page is fetched live. */
export interface LiveCall extends ClientCall {
  /** True if the caller's organization has zero data retention: then nothing is stored. Default false. */
  zdr?: boolean
}

const liveLimits = { timeoutMs: 30_000, maxBytes: 20 * 1024 * 1024 } as const

/** Rejects URLs that can be indexed but not fetched: URLs with credentials or a scheme other than HTTP(S). */
function checkScheme(url: string): void {
  const { protocol, username, password } = new URL(url)
  const reason =
    protocol !== 'http:' && protocol !== 'https:'
      ? 'a live fetch supports http and https only'
      : username !== '' || password !== ''
        ? 'must not contain credentials'
        : undefined
  if (reason) throw refusedFields('invalid_request', [{ path: 'url', reason }])
}

/** The limits of work on one page. */
interface LiveTime {
  timeoutMs: number
  /** The address of the page, for the error message. */
  url: string
  signal: AbortSignal | undefined
}

/**
 * Runs work with a time limit. When the time is over or `signal` aborts, the signal of the work aborts and the returned
 * promise rejects, even if the work ignores its signal.
 *
 * @throws AsofError ASOF_FETCH_TIMEOUT
 * @throws the reason of `signal`
 */
async function withinLiveTime<T>(
  { timeoutMs, url, signal }: LiveTime,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (reason: unknown) => {
    controller.abort(reason)
    reject(reason)
  }
  const timer = setTimeout(() => {
    const text = `${url}: the page could not be fetched and read within ${timeoutMs / 1000} s`
    end(new CrawlError('ASOF_FETCH_TIMEOUT', text))
  }, timeoutMs)
  const leave = () => end(signal?.reason)
  signal?.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([work(controller.signal), ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}

const warnOfStore = (_url: string, cause: unknown) =>
  process.emitWarning(new Error('a page that was fetched live could not be stored', { cause }))

/** A page as its site serves it now, and what its links and headers are. Its Markdown may be empty. */
export interface LiveVisit {
  page: LivePage
  fetched: LiveFetched
  extracted: ExtractedPage
}

/**
 * Fetches and extracts a page now. The time limit (30 s by default) covers robots.txt, DNS, connections, redirects, the body
 * and the extraction. The page is stored only if it has text and the source has a `store`.
 *
 * @throws ServiceError invalid_request - a scheme other than HTTP(S), or credentials.
 * @throws AsofError - of the fetcher and the extraction: status, address, unreachable, timeout, too large, unsupported type.
 * @throws AsofError ASOF_FETCH_TIMEOUT - the time limit was exceeded.
 * @throws what `mayFetch` rejects with.
 */
export async function visitLivePage(
  url: string,
  source: LiveSource,
  { zdr = false, client, signal: gone }: LiveCall = {},
): Promise<LiveVisit> {
  checkScheme(url)
  const { fetchPage, mayFetch, allowPrivate, timeoutMs = liveLimits.timeoutMs } = source
  const { fetched, extracted, acquiredAt } = await withinLiveTime({ timeoutMs, url, signal: gone }, async signal => {
    await mayFetch?.(url, signal)
    const fetched = await fetchPage(url, {
      allowPrivate,
      signal,
      totalTimeoutMs: timeoutMs,
      maxBytes: liveLimits.maxBytes,
      onRedirect: async next => {
        await mayFetch?.(next, signal)
      },
    })
    const acquiredAt = source.now()
    const { contentType } = fetched
    const options = { url: fetched.url, latestAt: acquiredAt, contentType }
    return { fetched, acquiredAt, extracted: await source.extract(fetched.body, options, { client, signal }) }
  })
  if (!zdr && hasText(extracted)) await stored(source, fetched, extracted)
  return { page: livePageOf(fetched, extracted, acquiredAt), fetched, extracted }
}

/** True if a page has text that can be extracted. */
export function hasText({ markdown }: Pick<ExtractedPage, 'markdown'>): boolean {
  return markdown.trim() !== ''
}

/** The error for a page without text. */
export function withoutText(): ServiceError {
  return new ServiceError('unprocessable', 'The page has no text that can be extracted.')
}

/**
 * Fetches and extracts a page now, see {@link visitLivePage}.
 *
 * @throws ServiceError unprocessable - the page has no text.
 * @throws what {@link visitLivePage} throws.
 */
export async function readLivePage(url: string, source: LiveSource, call?: LiveCall): Promise<LivePage> {
  const { page } = await visitLivePage(url, source, call)
  if (!hasText(page)) throw withoutText()
  return page
}

function livePageOf({ url }: LiveFetched, extracted: ExtractedPage, acquiredAt: number): LivePage {
  const { markdown, title, author, description, siteName, lang, kind, data, publishedAt: declared } = extracted
  const parsed = declared === undefined ? undefined : parseInstant(declared, 'publishedAt')
  const publishedAt = parsed === undefined || parsed > acquiredAt ? undefined : parsed
  return {
    url,
    title: title ?? '',
    acquiredAt,
    markdown,
    author,
    description,
    siteName,
    lang,
    kind,
    data: data.length > 0 ? data : undefined,
    publishedAt,
    publishedFrom: publishedAt === undefined ? undefined : extracted.publishedFrom,
  }
}

/** Stores a page if the operator wants that. Reports a failure to the operator, because the caller asked only for the page. */
async function stored(
  { store, onStoreFailure = warnOfStore }: LiveSource,
  fetched: LiveFetched,
  extracted: ExtractedPage,
): Promise<void> {
  try {
    await store?.(fetched, extracted)
  } catch (failure) {
    onStoreFailure(fetched.url, failure)
  }
}

/** Fetches a page from its site now, see `readLivePage`. */
export type ReadLive = (url: string, call?: LiveCall) => Promise<LivePage>

/** The limits keep memory bounded: each running read may hold a page of 20 MiB. */
const queueLimits = { running: 32, runningPerClient: 8, waiting: 64, waitingPerClient: 8 } as const

/**
 * Lets at most 32 live reads run at a time, 8 of them for one client. Others wait, at most 64 and 8 of them for one client.
 * Waiting counts towards the time limit of 30 s.
 *
 * @returns a function that also throws ServiceError overloaded if the queue is full, and AsofError ASOF_FETCH_TIMEOUT if
 *   the time limit was exceeded.
 */
export function limitLiveReads(readLive: ReadLive): ReadLive {
  const queue = new FairQueue(queueLimits, 'pages are being fetched live')
  return (url, call = {}) =>
    withinLiveTime({ timeoutMs: liveLimits.timeoutMs, url, signal: call.signal }, signal =>
      queue.run(call.client, () => readLive(url, { ...call, signal }), signal),
    )
}
