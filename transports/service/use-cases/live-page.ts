import { AsofError, type ExtractedPage, type ExtractOptions, type Page, parseInstant } from '@asof/core'
import type { FetchedPage } from '../../../crawler/index.ts'
import { refusedFields, ServiceError } from '../contract/errors.ts'

/** A page as it was fetched; headers and redirects where whoever fetched it knows them. */
export type LiveFetched = Pick<FetchedPage, 'url' | 'body' | 'contentType'> &
  Partial<Pick<FetchedPage, 'headers' | 'redirects'>>

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

/** @param call - for whom the page is extracted; ends the extraction when its signal aborts. */
export type Extract = (
  bytes: Uint8Array,
  options: ExtractOptions,
  call?: Pick<LiveCall, 'client' | 'signal'>,
) => Promise<ExtractedPage>

/** A page as its source has it now. */
export type LivePage = Pick<
  Page,
  'url' | 'title' | 'author' | 'description' | 'publishedAt' | 'acquiredAt' | 'markdown'
>

export interface LiveSource {
  fetchPage: FetchPage
  extract: Extract
  now: () => number
  /** Whether loopback, private and other special addresses may be fetched. */
  allowPrivate: boolean
  /** Rejects if a URL, or one that it redirects to, must not be fetched: robots.txt. Default: nothing is asked. */
  mayFetch?: (url: string, signal: AbortSignal) => Promise<unknown>
  /** Keeps a page in the index. Default: nothing is kept. */
  store?: (fetched: LiveFetched, extracted: ExtractedPage) => Promise<unknown>
  /** Told that a page could not be kept; it is answered all the same. Default: a process warning. */
  onStoreFailure?: (url: string, failure: unknown) => void
  /** For everything from the first question to the extracted page, ms. Default 30,000. */
  timeoutMs?: number
}

/** On whose behalf a page is read live. */
export interface LiveCall {
  /** Whether the caller's organization is under zero data retention: then nothing is stored. Default false. */
  zdr?: boolean
  /** The network or organization whose share of live fetches this one takes. Default: no share limits it. */
  client?: string | undefined
  /** Ends the fetch when it aborts, as when the caller has gone. The fetch then throws its reason. */
  signal?: AbortSignal | undefined
}

/** Decisions on live fetches: 30 s in all, 20 MiB. */
export const liveLimits = { timeoutMs: 30_000, maxBytes: 20 * 1024 * 1024 } as const

/** Refuses URLs that only a live fetch can't take: other schemes than HTTP, and credentials. */
function refuseUrl(url: string): void {
  const { protocol, username, password } = new URL(url)
  const reason =
    protocol !== 'http:' && protocol !== 'https:'
      ? 'a live fetch takes http and https only'
      : username !== '' || password !== ''
        ? 'must not contain credentials'
        : undefined
  if (reason) throw refusedFields('invalid_request', [{ path: 'url', reason }])
}

/** The time that work on a page may take, and what ends it before. */
export interface LiveTime {
  timeoutMs: number
  /** Named in the error. */
  url: string
  signal: AbortSignal | undefined
}

/**
 * Ends work that takes too long or that nobody waits for: its signal aborts, and the promise rejects even if the work
 * ignores that.
 *
 * @throws AsofError ASOF_FETCH_TIMEOUT
 * @throws the reason of `signal`
 */
export async function withinLiveTime<T>(
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
    end(new AsofError('ASOF_FETCH_TIMEOUT', text))
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

/**
 * Fetches and extracts a page now, in 30 s for everything: robots.txt, names, connections, redirects, the body, extraction.
 * Nothing enters the index unless the source has a `store`.
 *
 * @throws ServiceError invalid_request - a scheme other than HTTP, or credentials.
 * @throws ServiceError unprocessable - no text on the page.
 * @throws AsofError of the fetcher and the extraction: status, address, unreachable, timeout, too large, unsupported type
 * @throws AsofError ASOF_FETCH_TIMEOUT - it took too long. Whatever `mayFetch` rejects with.
 */
export async function readLivePage(
  url: string,
  source: LiveSource,
  { zdr = false, client, signal: gone }: LiveCall = {},
): Promise<LivePage> {
  refuseUrl(url)
  const { fetchPage, mayFetch, allowPrivate, timeoutMs = liveLimits.timeoutMs } = source
  const { fetched, extracted, acquiredAt } = await withinLiveTime({ timeoutMs, url, signal: gone }, async signal => {
    await mayFetch?.(url, signal)
    const fetched = await fetchPage(url, {
      ...{ allowPrivate, signal, totalTimeoutMs: timeoutMs, maxBytes: liveLimits.maxBytes },
      onRedirect: async next => {
        await mayFetch?.(next, signal)
      },
    })
    const acquiredAt = source.now()
    const { contentType } = fetched
    const options = { url: fetched.url, latestAt: acquiredAt, ...(contentType === undefined ? {} : { contentType }) }
    return { fetched, acquiredAt, extracted: await source.extract(fetched.body, options, { client, signal }) }
  })
  const { markdown, title, author, description, publishedAt: declared } = extracted
  if (markdown.trim() === '') throw new ServiceError('unprocessable', 'The page holds no text that can be extracted.')
  if (!zdr) await stored(source, fetched, extracted)
  const publishedAt = declared === undefined ? undefined : parseInstant(declared, 'publishedAt')
  return {
    url: fetched.url,
    title: title ?? '',
    acquiredAt,
    markdown,
    ...(author === undefined ? {} : { author }),
    ...(description === undefined ? {} : { description }),
    ...(publishedAt === undefined || publishedAt > acquiredAt ? {} : { publishedAt }),
  }
}

/** Keeps a page where the operator wants that. The caller asked for the page, not for it to be kept. */
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
