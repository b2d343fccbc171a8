import type { AnswerRequest, Dialect, SentRequest } from '../frame/dialect.ts'
import { readEach } from '../frame/read-each.ts'
import { searchPages } from '../frame/search-pages.ts'
import { tavilyCrawl } from './crawl.ts'
import { writeError } from './errors.ts'
import { tavilyMap, tavilyMapNames } from './map.ts'
import { extractNames, readExtract, readSearch, searchNames } from './read.ts'
import { writePages, writeResults } from './write.ts'

function search(sent: SentRequest): AnswerRequest {
  const asked = readSearch(sent)
  return async asking => {
    const { results } = await searchPages(asking, asked.request, asked.warnings)
    return writeResults(results, sent.id, asked, asking)
  }
}

function extract(sent: SentRequest): AnswerRequest {
  const asked = readExtract(sent)
  return async asking => {
    const reads = await readEach(asked.urls, 'urls', async url => {
      const { body } = await asking.call('fetch', { ...asked.request, url })
      return body
    })
    return writePages(reads, sent.id, asked, asking)
  }
}

/** The search API of Tavily, by `@tavily/core` and `tavily-python`. */
export const tavily: Dialect = {
  vendor: 'Tavily',
  clients: '@tavily/core and tavily-python',
  routes: [
    { methods: ['POST'], path: '/search', names: searchNames, read: search },
    { methods: ['POST'], path: '/extract', names: extractNames, read: extract },
    { methods: ['POST'], path: '/map', names: tavilyMapNames, read: tavilyMap },
    ...tavilyCrawl,
  ],
  missing: {
    '/research': 'needs a language model, and asof has none',
  },
  writeError,
}
