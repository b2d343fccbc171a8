import { limits, type ResponseOf } from '../../../../service/index.ts'
import type { AnswerRequest, Asking, Dialect, SentRequest } from '../frame/dialect.ts'
import { lastSeenAt } from '../frame/last-seen.ts'
import { searchPages } from '../frame/search-pages.ts'
import { writeError } from './errors.ts'
import { firecrawlMap, firecrawlMapNames, oldFirecrawlMap } from './map.ts'
import { type FirecrawlScrape, readScrape, readSearch, scrapeNames, searchNames } from './read.ts'
import { writePage, writeResults } from './write.ts'

/** Reads a page: from the index as of an instant, or if it was seen recently, else from its site. */
async function readPage({ url, query_time, seenSince }: FirecrawlScrape, asking: Asking): Promise<ResponseOf<'fetch'>> {
  const request = { url, max_chars: limits.fetchChars.longest, include: ['metadata' as const] }
  const isStored = query_time !== undefined || asking.seesPast || (await lastSeenAt(url, asking)) >= seenSince
  const { body } = await asking.call('fetch', isStored ? { ...request, query_time } : { ...request, live: true })
  return body
}

function scrape(sent: SentRequest): AnswerRequest {
  const asked = readScrape(sent)
  return async asking => writePage(await readPage(asked, asking), asked)
}

function search(sent: SentRequest): AnswerRequest {
  const asked = readSearch(sent)
  return async asking => {
    const { results } = await searchPages(asking, asked.request, asked.warnings)
    return writeResults(results, sent.id, asked, asking)
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
  ],
  missing: {
    '/v2/crawl': 'crawls for its caller, and here only the operator of a server starts crawls',
    '/v2/batch': 'needs jobs, which asof does not have yet: scrape the pages one by one',
    '/v2/extract': NO_MODEL,
    '/v2/agent': NO_MODEL,
  },
  writeError,
}
