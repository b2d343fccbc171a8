import { beginSearchTime, DEFAULT_SEARCH_TIMEOUT_MS, endSearchTime } from '../postings/search-time.ts'
import { withAnalyzer } from '../text/languages/analyzers.ts'
import type { AnswerContext } from './answer-context.ts'
import { findSearch } from './find-search.ts'
import { listHits } from './list-hits.ts'
import { planSearch } from './plan-search.ts'
import type { ResolvedSearch } from './resolve-search.ts'
import type { SearchAnswer } from './search-answer.ts'
import { showHits } from './show-hits.ts'

/**
 * Answers a search request: see `Engine.search`.
 *
 * @throws ASOF_SEARCH_TIMEOUT - the answer took more processor time than allowed.
 * @throws SearchAbandoned - the answer took more processor time than this thread can spend on it.
 */
export function answer(request: ResolvedSearch, context: AnswerContext): SearchAnswer {
  beginSearchTime(context.timeoutMs ?? DEFAULT_SEARCH_TIMEOUT_MS, context.mostMs)
  try {
    return withAnalyzer(context.catalog.identity.analyzer, () => answerInTime(request, context))
  } finally {
    endSearchTime()
  }
}

function answerInTime(request: ResolvedSearch, context: AnswerContext): SearchAnswer {
  const plan = planSearch(request, context)
  const found = findSearch(plan)
  return showHits(plan, found, listHits(plan, found))
}
