import { limits, type ResponseOf, timestamp } from '../../../../service/index.ts'
import type { AnswerRequest, Asking, Dialect, SentRequest } from '../frame/dialect.ts'
import { lastSeenAt } from '../frame/last-seen.ts'
import { searchPages } from '../frame/search-pages.ts'
import { firecrawlJobs } from './crawl.ts'
import { writeError } from './errors.ts'
import { type GivenSchema, valuesOfPages } from './json-format.ts'
import { firecrawlMap, firecrawlMapNames, oldFirecrawlMap } from './map.ts'
import { type FirecrawlScrape, type FirecrawlSearch, readScrape, readSearch, scrapeNames, searchNames } from './read.ts'
import { writePage, writeResults } from './write.ts'

/** Reads a page: from the index as of an instant, or if it was seen recently, else from its site. */
async function readPage({ url, query_time, seenSince }: FirecrawlScrape, asking: Asking): Promise<ResponseOf<'fetch'>> {
  const request = { url, max_chars: limits.fetchChars.longest, include: ['metadata' as const] }
  const isStored = query_time !== undefined || asking.seesPast || (await lastSeenAt(url, asking)) >= seenSince
  const { body } = await asking.call('fetch', isStored ? { ...request, query_time } : { ...request, live: true })
  return body
}

/** Answers a request for values of a page: they are read from the index, and so is the text, if the request asks for that too. */
async function answerValues(asked: FirecrawlScrape, schema: GivenSchema, asking: Asking): Promise<object> {
  const { url, warnings } = asked
  const isOfNow = asked.query_time === undefined && !asking.seesPast
  // All calls are of one instant.
  const query_time = isOfNow ? timestamp(asked.requestedAt) : asked.query_time
  const { body: page } = await asking.call('page', { url, query_time, max_chars: 1 })
  if (isOfNow && Date.parse(page.last_seen_at) < asked.seenSince)
    warnings.push({
      path: 'maxAge',
      message: `values are those of the index, which saw the page at ${page.last_seen_at}`,
    })
  const values = await valuesOfPages(asking, { urls: [url], schema, queryTime: query_time }, warnings)
  const { formats, content } = await readText({ ...asked, query_time }, asking)
  return writePage({ ...page, content, metadata: page }, { ...asked, formats }, values.get(url))
}

/** Reads the text of a page of the index, if the request asks for it. If that fails, a warning says so, because the values are paid for. */
async function readText({ url, query_time, formats, warnings }: FirecrawlScrape, asking: Asking) {
  if (formats.length === 0) return { formats, content: '' }
  try {
    const { body } = await asking.call('fetch', { url, query_time, max_chars: limits.fetchChars.longest })
    return { formats, content: body.content }
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure
    warnings.push({ path: 'formats', message: `only values: ${failure.message}` })
    return { formats: [], content: '' }
  }
}

function scrape(sent: SentRequest): AnswerRequest {
  const asked = readScrape(sent)
  const { schema } = asked
  return async asking =>
    schema ? await answerValues(asked, schema, asking) : writePage(await readPage(asked, asking), asked)
}

function search(sent: SentRequest): AnswerRequest {
  const asked = readSearch(sent)
  return async asking => {
    const { results, instant } = await searchPages(asking, asked.request, asked.warnings)
    const values = asked.schema && (await valuesOfResults(results, instant, { ...asked, schema: asked.schema }, asking))
    return writeResults({ results, values }, sent.id, asked, asking)
  }
}

/** Reads values of the pages that a search found, as of its instant. If that fails, a warning says so, because the search is paid for. */
async function valuesOfResults(
  results: readonly { url: string }[],
  instant: number | undefined,
  { request, schema, warnings }: FirecrawlSearch & { schema: GivenSchema },
  asking: Asking,
): Promise<ReadonlyMap<string, unknown>> {
  const queryTime = request.query_time ?? (asking.seesPast ? undefined : timestamp(instant))
  try {
    return await valuesOfPages(asking, { urls: results.map(({ url }) => url), schema, queryTime }, warnings)
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure
    warnings.push({ path: 'scrapeOptions.formats json', message: `left out: ${failure.message}` })
    return new Map()
  }
}

const NO_MODEL = 'needs a language model, and asof has none'

/** The API of Firecrawl, by its clients of version 2, and `/v1/scrape` and `/v1/map` for programs that still ask for them. */
export const firecrawl: Dialect = {
  vendor: 'Firecrawl',
  clients: 'firecrawl for JavaScript and AsyncFirecrawl for Python',
  routes: [
    { methods: ['POST'], path: '/v2/scrape', names: scrapeNames, read: scrape },
    { methods: ['POST'], path: '/v2/search', names: searchNames, read: search },
    { methods: ['POST'], path: '/v2/map', names: firecrawlMapNames, read: firecrawlMap },
    { methods: ['POST'], path: '/v1/scrape', names: scrapeNames, read: scrape },
    { methods: ['POST'], path: '/v1/map', names: firecrawlMapNames, read: oldFirecrawlMap },
    ...firecrawlJobs,
  ],
  missing: {
    '/v2/crawl/params-preview': NO_MODEL,
    '/v2/extract': NO_MODEL,
    '/v2/agent': NO_MODEL,
  },
  writeError,
}
