import { fieldsInJson, type Page } from '@asof/core'
import { firstCodePoints } from '../contract/code-points.ts'
import { fetchFailures, refusedFields } from '../contract/errors.ts'
import { type FetchRequest, type FetchResponse, fetchRequest, fetchResponse } from '../contract/page-schemas.ts'
import { checkFetchFields } from '../contract/request-check.ts'
import { limits } from '../contract/schema-parts.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { AnsweredHere, CallContext, CallOf, Sources } from './call.ts'
import { refusedByRetention } from './caller-policy.ts'
import { citationOf } from './citation.ts'
import { notIndexed } from './not-indexed.ts'
import { pageMetadata } from './page-metadata.ts'
import { byQueryTime } from './query-time.ts'

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
async function answerFetch(
  { engine, readLive, readFor, ...checks }: Sources,
  request: FetchRequest,
  { client, signal, base, policy = {} }: CallContext,
): Promise<AnsweredHere<FetchResponse>> {
  const { url, live, prompt, max_chars } = request
  const instant = await checkFetchFields(request, checks)
  const answeredFor = instant ?? checks.now()
  const maxChars = Math.min(max_chars, limits.fetchChars.longest)
  // A reader gets the whole page (up to the limit), not only `max_chars`. A code point has at most two UTF-16 units.
  const markdownMaxLength = 2 * (prompt === undefined ? maxChars : limits.fetchChars.longest)
  const stored = live
    ? undefined
    : await engine.page(url, { queryTime: instant, supersededAt: instant !== undefined, markdownMaxLength })
  const page = live ? await readLive(url, { zdr: policy.zdr, client, signal }) : stored
  if (!page) throw notIndexed(instant, checks.sealedAt === undefined ? '; live=true fetches it from its source' : '')
  const reading = prompt === undefined ? undefined : await readFor(page, prompt, { client, signal })
  const body: FetchResponse = {
    url: page.url,
    content: firstCodePoints(reading?.content ?? page.markdown, maxChars),
    title: page.title,
    description: '',
    author: page.author,
    published_at: timestamp(page.publishedAt),
  }
  if (stored) Object.assign(body, versionFields(stored))
  if (request.include?.includes('metadata')) body.metadata = pageMetadata(page)
  if (stored && request.include?.includes('citation')) body.citation = citationOf(stored, { base })
  return { body, instant: answeredFor, reader: reading?.reader }
}

/** One page as Markdown, from the index or from its site. */
export const fetchCall = {
  request: fetchRequest,
  response: fetchResponse,
  methods: ['GET'],
  callers: 'all',
  described: {
    summary: 'Fetch one page as markdown',
    answer: 'The page.',
    header: ['X-Asof-Reader', 'The reader that answered a `prompt`: `llm` or `extractive`.'],
  },
  past: {
    ...byQueryTime<FetchRequest>(),
    at: (request, named) => {
      if (!request.live) return byQueryTime<FetchRequest>().at(request, named)
      throw refusedFields('invalid_request', [
        { path: 'live', reason: `not together with the instant of ${named.name}` },
      ])
    },
  },
  failures: fetchFailures,
  charged: {
    kind: 'fetch',
    sku: ({ live }) => (live ? 'fetch.live' : 'fetch'),
    title: 'Page fetch',
    noun: 'fetch',
    indexOf: ({ body: { acquired_at } }) => (acquired_at === undefined ? { live: true } : { acquired_at }),
    // A fetch can be live, and one that is not costs nothing if there is no such page.
    needsNoPages: true,
    refusedUnderZeroRetention: ({ prompt }) =>
      prompt === undefined ? undefined : refusedByRetention('zdr_prompt_unsupported', 'prompt', 'is not available'),
    failedUpstream: 'target_unreachable',
  },
  standIn: { url: 'https://example.com/' },
  check: async (sources, request) => {
    await checkFetchFields(request, sources)
  },
  run: answerFetch,
} satisfies CallOf<typeof fetchRequest, typeof fetchResponse>
