import { type ExtractedPage, type ExtractOptions, type Page, parseInstant } from '../../core/index.ts'
import type { FetchedPage } from '../../crawler/index.ts'
import { ServiceError } from './errors.ts'

export type FetchPage = (
  url: string,
  options: { allowPrivate: boolean; totalTimeoutMs: number; maxBytes: number },
) => Promise<Pick<FetchedPage, 'url' | 'body' | 'contentType'>>

export type Extract = (bytes: Uint8Array, options: ExtractOptions) => Promise<ExtractedPage>

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
}

/** Decisions on live fetches: 30 s in all, 20 MiB. */
const liveLimits = { totalTimeoutMs: 30_000, maxBytes: 20 * 1024 * 1024 } as const

/** Refuses what only a live fetch can't take: other schemes than HTTP, and credentials. */
function refuseUrl(url: string): void {
  const { protocol, username, password } = new URL(url)
  const reason =
    protocol !== 'http:' && protocol !== 'https:'
      ? 'a live fetch takes http and https only'
      : username !== '' || password !== ''
        ? 'must not contain credentials'
        : undefined
  if (reason) throw new ServiceError('invalid_request', `url: ${reason}`, { details: [{ path: 'url', reason }] })
}

/**
 * Fetches and extracts a page now; nothing enters the index.
 *
 * @throws ServiceError invalid_request - a scheme other than HTTP, or credentials.
 * @throws ServiceError unprocessable - no text on the page.
 * @throws AsofError of the fetcher and the extraction: status, address, unreachable, timeout, too large, unsupported type
 */
export async function readLivePage(url: string, source: LiveSource): Promise<LivePage> {
  refuseUrl(url)
  const fetched = await source.fetchPage(url, { ...liveLimits, allowPrivate: source.allowPrivate })
  const acquiredAt = source.now()
  const {
    markdown,
    title,
    author,
    description,
    publishedAt: declared,
  } = await source.extract(fetched.body, {
    url: fetched.url,
    latestAt: acquiredAt,
    ...(fetched.contentType === undefined ? {} : { contentType: fetched.contentType }),
  })
  if (markdown.trim() === '') throw new ServiceError('unprocessable', 'The page holds no text that can be extracted.')
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
