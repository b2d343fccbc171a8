import { setTimeout as sleep } from 'node:timers/promises'
import type { CallContext } from '../calls/call.ts'
import type { CallName, RequestOf, ResponseOf } from '../calls/calls.ts'
import type { Service } from '../calls/service.ts'
import { firstCodePoints } from '../contract/code-points.ts'
import type { CrawledPage } from '../contract/crawl-job-schemas.ts'
import { ServiceError, toServiceError } from '../contract/errors.ts'
import { mapRequest } from '../contract/map-schemas.ts'
import { type FetchResponse, fetchRequest } from '../contract/page-schemas.ts'
import { limits } from '../contract/schema-parts.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { AskedPages, PagesOf } from './job.ts'

/** Number of URLs that are listed at a time. */
const LISTED = 1_000
/** Number of lists of one job. A job that finds few of its pages in them would search a large site for nothing. */
const MAX_LISTS = 50

/** Returns the number of segments in the path of a URL. */
function segmentsOf({ pathname }: URL): number {
  return pathname.split('/').filter(segment => segment !== '').length
}

/** Returns a page as a job delivers it. A text that is too long is cut. */
export function pageDelivered(
  { url, title, content, author, published_at, acquired_at, fields, metadata }: Omit<FetchResponse, 'description'>,
  now: number,
): CrawledPage {
  const cut = firstCodePoints(content, limits.crawledChars)
  return {
    url,
    title,
    content: cut,
    truncated: cut.length < content.length,
    author,
    published_at,
    acquired_at: acquired_at ?? timestamp(now),
    fields,
    metadata,
  }
}

/**
 * Reads the pages of jobs as the index had them at their instants. The service makes the calls of the job within the fair share of its organization.
 */
export function indexPages(service: Service): PagesOf {
  return async function* pages({ instant, organization: client }, asked, signal) {
    if (instant === undefined) throw new TypeError('a job of the index has an instant')
    const query_time = timestamp(instant)
    const context: CallContext = { keyed: true, client, signal }

    /** Makes a call, and makes it again as long as the server has too much work. */
    async function ask<N extends CallName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>> {
      for (;;)
        try {
          signal.throwIfAborted()
          const { body } = await service.answer(name, request, context)
          return body
        } catch (failure) {
          if (signal.aborted || !(failure instanceof ServiceError) || failure.kind !== 'overloaded') throw failure
          await sleep((failure.retryAfterSeconds ?? 1) * 1_000, undefined, { signal })
        }
    }

    const isGiven = asked.urls !== undefined
    const read = new Set<string>()
    for await (const url of isGiven
      ? (asked.urls ?? [])
      : urlsOf(asked, request => ask('map', { ...request, query_time })))
      try {
        const max_chars = limits.crawledChars + 1
        const page = await ask('fetch', fetchRequest.parse({ url, query_time, max_chars, include: ['metadata'] }))
        // Two URLs may be names of one page.
        if (isGiven || !read.has(page.url)) yield { page: pageDelivered(page, instant) }
        read.add(page.url)
      } catch (failure) {
        if (signal.aborted) throw signal.reason
        const error = toServiceError(failure)
        if (error.kind === 'internal_error') throw error
        // The index need not have the page where a job starts.
        if (isGiven || url !== asked.url) yield { url, failure: error }
      }
  }
}

/** Lists the URLs that the index has for a job: the one where it starts, and then those below it, the last captured first. */
async function* urlsOf(
  { url: start = '', entire_host, max_depth = Number.POSITIVE_INFINITY, include, exclude }: AskedPages,
  map: (request: RequestOf<'map'>) => Promise<ResponseOf<'map'>>,
): AsyncGenerator<string, void, undefined> {
  const { directoryOf, PathRules } = await import('../../crawler/index.ts')
  const first = new URL(start)
  const base = new URL(entire_host ? '/' : directoryOf(first), first)
  const rules = new PathRules({ include, exclude })
  const deepest = segmentsOf(base) + max_depth
  if (rules.fit(first)) yield start
  let cursor: string | undefined
  let lists = 0
  do {
    if (lists === MAX_LISTS)
      throw new ServiceError(
        'unprocessable',
        `The crawl has looked at ${MAX_LISTS * LISTED} URLs. Start it further below.`,
      )
    lists += 1
    const listed = await map(mapRequest.parse({ url: base.href, limit: LISTED, cursor }))
    for (const { url } of listed.urls) {
      const parsed = new URL(url)
      if (url !== start && segmentsOf(parsed) <= deepest && rules.fit(parsed)) yield url
    }
    cursor = listed.next
  } while (cursor !== undefined)
}
