import type { AnswerRequest, Dialect, SentRequest } from '../frame/dialect.ts'
import { searchPages } from '../frame/search-pages.ts'
import { writeError } from './errors.ts'
import { readSearch, searchNames } from './read.ts'
import { writeResults } from './write.ts'

function search(sent: SentRequest): AnswerRequest {
  const asked = readSearch(sent)
  return async asking => writeResults(await searchPages(asking, asked.request, asked.warnings), asked)
}

/** The search API of SearXNG, whose clients call the address of an instance itself or `/search` below it. */
export const searxng: Dialect = {
  vendor: 'SearXNG',
  clients: 'SearxSearchWrapper of LangChain',
  routes: ['', '/', '/search'].map(path => ({ methods: ['GET', 'POST'], path, names: searchNames, read: search })),
  takesForms: true,
  missing: {},
  writeError,
}
