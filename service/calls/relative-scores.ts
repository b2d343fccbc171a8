import type { SearchAnswer } from '@asof/core'
import type { SearchRequest } from '../contract/search-schemas.ts'
import { placedScores } from './search-results.ts'

/**
 * Returns for each result how well it matches, from 0 to 1, so that results of different queries can be compared. It never rises from one result
 * to the next, unless the results are sorted by a field. It depends only on the score of the result and on the words of the query.
 *
 * A ranking by words alone has a score that no page can exceed: the sum of what each word can add. The number is the share of it that a page has.
 * The signals of `pro`, of titles while somebody is typing, and of a reranking model have no such bound. There the number is `1 − e^(−share)`,
 * which rises with the score and stays below 1.
 */
export function relativeScores({ results, scoreBound, receipt }: SearchAnswer, request: SearchRequest): number[] {
  const isBounded = receipt.profile === 'bm25f' && receipt.reranker === undefined && !request.typing
  return placedScores(results, request).map(score => {
    if (scoreBound === 0) return 0
    const share = score / scoreBound
    return isBounded ? Math.min(1, share) : 1 - Math.exp(-share)
  })
}
