import type { ExtractedPage } from '@asof/core'
import { CrawlError } from '../../crawler/errors.ts'
import type { FetchVisited, PoliteFetcher, PoliteFetcherOptions } from '../../crawler/index.ts'
import { LiveExtraction } from '../calls/live-extraction.ts'
import { hasText, type LiveSource, type LiveVisit, visitLivePage, withoutText } from '../calls/live-page.ts'
import { pageMetadata } from '../calls/page-metadata.ts'
import { type ServiceError, toServiceError } from '../contract/errors.ts'
import { timestamp } from '../contract/wire-form.ts'
import { pageDelivered } from './index-pages.ts'
import type { AskedPages, CrawlJob, PagesOf } from './job.ts'

export interface SitePagesOptions extends Pick<LiveSource, 'store' | 'onStoreFailure'> {
  /** True to allow fetching from private addresses. */
  allowPrivate: boolean
  now: () => number
  /** How and how fast hosts are asked. Default: as in crawls. */
  polite?: PoliteFetcherOptions
}

/** Maximum number of known URLs for each page that a job may deliver. It bounds the memory of a job, and the requests for pages that fail. */
const KNOWN_PER_PAGE = 4
/** Number of URLs that even the smallest job may know. */
const MIN_KNOWN = 100
/** Number of requests for a page whose site is busy. */
const MAX_TRIES = 3

interface Visitable {
  url: string
  /** Number of links from the start. */
  depth: number
}

/** Imported when the first page is fetched, so that a process that only searches starts faster. */
const crawler = () => import('../../crawler/index.ts')

/**
 * Reads the pages of jobs from their sites, for all organizations together: one request at a time to each host. Links are followed breadth first.
 */
export class SitePages {
  readonly #options: SitePagesOptions
  readonly #extraction = new LiveExtraction()
  #polite: Promise<PoliteFetcher> | undefined

  constructor(options: SitePagesOptions) {
    this.#options = options
  }

  /** @throws AsofError ASOF_ADDRESS_REFUSED - the URL alone shows that it must not be fetched. */
  async checkUrl(url: string): Promise<void> {
    const { checkUrl } = await crawler()
    checkUrl(new URL(url), { allowPrivate: this.#options.allowPrivate })
  }

  /** Reads the pages of a job. */
  readonly pages: PagesOf = (job, asked, signal) =>
    asked.urls === undefined ? this.#siteOf(job, asked, signal) : this.#listOf(job, asked.urls, signal)

  async *#listOf(job: CrawlJob, urls: readonly string[], signal: AbortSignal): ReturnType<PagesOf> {
    for (const url of urls)
      try {
        yield { page: this.#pageOf(await this.#visit(url, job, signal, () => {})) }
      } catch (failure) {
        yield { url, failure: failureOf(failure, signal) }
      }
  }

  async *#siteOf(job: CrawlJob, asked: AskedPages, signal: AbortSignal): ReturnType<PagesOf> {
    const { PathRules, Scope, siteOf, tryNormalize } = await crawler()
    const { url: start = '', entire_host, max_depth = Number.POSITIVE_INFINITY, include, exclude } = asked
    const maxKnown = Math.max(MIN_KNOWN, KNOWN_PER_PAGE * job.limit)
    const rules = new PathRules({ include, exclude })
    const type = entire_host ? 'host' : 'prefix'
    const scopeAt = (seed: string) => new Scope({ seeds: [seed], scope: { type, include, exclude } }, this.#options.now)
    let scope = scopeAt(start)
    const first = tryNormalize(start) ?? start
    const known = new Set([first])
    const read = new Set<string>()
    const queue: Visitable[] = [{ url: first, depth: 0 }]
    // The start may redirect within its registrable domain, such as to www.
    const mayFollow = (target: string, { depth }: Visitable) =>
      depth === 0 ? siteOf(new URL(target)) === siteOf(new URL(start)) : scope.includes(target)
    for (const next of queue) {
      let visit: LiveVisit
      try {
        visit = await this.#visit(next.url, job, signal, target => {
          if (!mayFollow(tryNormalize(target) ?? target, next))
            throw new CrawlError('ASOF_FETCH_REDIRECTS', 'the page redirects to what the crawl does not include')
        })
      } catch (failure) {
        yield { url: next.url, failure: failureOf(failure, signal) }
        continue
      }
      const url = tryNormalize(visit.fetched.url) ?? visit.fetched.url
      if (read.has(url)) continue
      read.add(url)
      known.add(url)
      if (next.depth === 0) scope = scopeAt(url)
      if (next.depth > 0 || rules.fit(new URL(url)))
        yield hasText(visit.page) ? { page: this.#pageOf(visit) } : { url: next.url, failure: withoutText() }
      if (next.depth >= max_depth) continue
      for (const link of await linksOf(visit)) {
        if (known.size >= maxKnown) break
        const target = tryNormalize(link)
        if (target === undefined || known.has(target) || !scope.includes(target)) continue
        known.add(target)
        queue.push({ url: target, depth: next.depth + 1 })
      }
    }
  }

  /**
   * Fetches and extracts a page when it is the turn of its host, and again if its site is busy.
   *
   * @param checkRedirect - throws if a redirect must not be followed.
   */
  async #visit(
    url: string,
    { organization: client }: CrawlJob,
    signal: AbortSignal,
    checkRedirect: (target: string) => void,
  ): Promise<LiveVisit> {
    const { allowPrivate, now, store, onStoreFailure } = this.#options
    const polite = await this.#openPolite()
    const source = (fetch: FetchVisited): LiveSource => ({
      fetchPage: (_url, { signal: late, maxBytes, onRedirect }) => fetch({ signal: late, maxBytes, onRedirect }),
      mayFetch: async target => {
        if (target !== url) checkRedirect(target)
      },
      extract: this.#extraction.extract,
      allowPrivate,
      now,
      store,
      onStoreFailure,
    })
    for (let tries = 1; ; tries += 1)
      try {
        return await polite.visit(url, signal, fetch => visitLivePage(url, source(fetch), { client, signal }))
      } catch (failure) {
        if (signal.aborted || tries >= MAX_TRIES || !isBusy(failure)) throw failure
      }
  }

  #pageOf({ page }: LiveVisit) {
    if (!hasText(page)) throw withoutText()
    const { url, title, markdown: content, author, publishedAt, acquiredAt } = page
    const metadata = pageMetadata(page)
    return pageDelivered({ url, title, content, author, published_at: timestamp(publishedAt), metadata }, acquiredAt)
  }

  #openPolite(): Promise<PoliteFetcher> {
    this.#polite ??= crawler().then(({ PoliteFetcher: Polite }) => {
      const { allowPrivate, now, polite } = this.#options
      return new Polite({ ...polite, fetcher: { ...polite?.fetcher, allowPrivate }, now })
    })
    return this.#polite
  }

  /** Ends the extraction processes, and closes all connections. */
  async close(): Promise<void> {
    await this.#extraction.close()
    await (await this.#polite)?.close()
  }
}

/** Returns the error of a page. @throws the reason of the signal when it aborted, and failures that are not about a page. */
function failureOf(failure: unknown, signal: AbortSignal): ServiceError {
  if (signal.aborted) throw signal.reason
  const error = toServiceError(failure)
  if (error.kind === 'internal_error') throw failure
  return error
}

/** True if a site asks for a pause, or this server has too much work. */
function isBusy(failure: unknown): boolean {
  return ['target_rate_limited', 'overloaded'].includes(toServiceError(failure).kind)
}

/** Returns the links of a page that robots may follow. */
async function linksOf({ fetched, extracted }: LiveVisit): Promise<string[]> {
  const { parseRobotsTag } = await crawler()
  const isClosed = extracted.robots.nofollow || parseRobotsTag(fetched.headers?.['x-robots-tag'], 'asof').nofollow
  return isClosed ? [] : followable(extracted)
}

function followable({ links }: ExtractedPage): string[] {
  return links.filter(({ nofollow }) => !nofollow).map(({ url }) => url)
}
