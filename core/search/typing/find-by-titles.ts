import { compareHits, type Hit } from '../../kernels/top-hits.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import type { AnalyzedQuery } from '../analysis/analyze-query.ts'
import type { IndexView } from '../collection/index-view.ts'
import { type FindOptions, findHits } from '../find-hits.ts'
import type { SignalPart } from '../search-answer.ts'
import type { RankedHits } from '../topk/ranked-hits.ts'
import { type Meanings, titleFit } from './title-fit.ts'

/** Number of the best hits whose titles are read. */
const RAISED_AMONG = 200
/** Weight of a title that consists of just the typed words. The unit is the greatest weight of a term, times the number of words typed. */
const TITLE_FIT = 1.5

/** Reads the title and the language of a page. */
export type ReadTitle = (captureId: number) => { title: string; language: string }

/**
 * Finds the best hits, and raises those among the first {@link RAISED_AMONG} whose titles consist of the typed words. The weight of titles in
 * BM25F cannot do that, because BM25F normalizes by the length of the whole page.
 *
 * @param meanings - for each word of the query the terms that may be meant by it.
 */
export function findByTitles(
  index: IndexView,
  query: AnalyzedQuery,
  meanings: readonly Meanings[],
  options: FindOptions,
  readTitle: ReadTitle,
): RankedHits {
  const { limit, order, urlOf } = options
  if (order || limit === 0 || meanings.length === 0) return findHits(index, query, options)
  const found = findHits(index, query, { ...options, limit: Math.max(limit, RAISED_AMONG) })
  const { hits, scale, weights } = found
  const most = Math.max(0, ...weights) * meanings.length
  const parts = new Map<Hit, { hit: Hit; part: SignalPart }>()
  const raised = hits.slice(0, RAISED_AMONG).map(hit => {
    checkSearchTime()
    const { title, language } = readTitle(hit.segment.columns.captureIds[hit.ordinal]!)
    const value = titleFit(meanings, title, language)
    const score = Math.round(TITLE_FIT * most * value * scale) / scale
    const changed = { ...hit, score: hit.score + score }
    parts.set(changed, { hit, part: { signal: 'title', weight: TITLE_FIT * most, value, score } })
    return changed
  })
  raised.sort((a, b) => compareHits(a, b, urlOf))
  return {
    ...found,
    hits: [...raised, ...hits.slice(RAISED_AMONG)].slice(0, limit),
    partsOf: hit => {
      const { hit: before = hit, part } = parts.get(hit) ?? {}
      return found.partsOf(before).concat(part && part.score > 0 ? part : [])
    },
  }
}
