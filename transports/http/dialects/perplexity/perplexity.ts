import type { AnswerRequest, Dialect, SentRequest } from '../frame/dialect.ts'
import { searchPages } from '../frame/search-pages.ts'
import { writeError } from './errors.ts'
import { readSearch, searchNames } from './read.ts'
import { writeResults } from './write.ts'

function search(sent: SentRequest): AnswerRequest {
  const { request, warnings } = readSearch(sent)
  return async asking => {
    const { results } = await searchPages(asking, request, warnings)
    return writeResults(results, sent.id, warnings)
  }
}

/** The search API of Perplexity, by `perplexityai` and by LiteLLM. */
export const perplexity: Dialect = {
  vendor: 'Perplexity',
  clients: 'perplexityai',
  routes: [{ methods: ['POST'], path: '/search', names: searchNames, read: search }],
  missing: { '/chat': 'needs a language model, and asof has none' },
  writeError,
}
