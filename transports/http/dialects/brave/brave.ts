import type { AnswerRequest, Dialect, SentRequest } from '../frame/dialect.ts'
import { searchPages } from '../frame/search-pages.ts'
import { writeError } from './errors.ts'
import { readSearch, searchNames } from './read.ts'
import { writeResults } from './write.ts'

function search(sent: SentRequest): AnswerRequest {
  const asked = readSearch(sent)
  return async asking => writeResults(await searchPages(asking, asked.request, asked.warnings), asked)
}

const NOT_HERE = 'has other results than pages, and asof has only pages'

/** The web search API of Brave, by LangChain and others, which take its address. */
export const brave: Dialect = {
  vendor: 'Brave',
  clients: 'BraveSearchWrapper of LangChain',
  routes: [{ methods: ['GET'], path: '/res/v1/web/search', names: searchNames, read: search }],
  keyHeader: 'x-subscription-token',
  missing: {
    '/res/v1/news': NOT_HERE,
    '/res/v1/images': NOT_HERE,
    '/res/v1/videos': NOT_HERE,
    '/res/v1/local': NOT_HERE,
    '/res/v1/summarizer': 'needs a language model, and asof has none',
  },
  writeError,
}
