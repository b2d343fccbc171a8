import { isAsofError } from '@asof/extract/errors'
import type { DeltaOrigin } from '../../dates/resolve-times.ts'
import { parseFilter } from '../../fields/field-filter.ts'
import type { Pin } from '../../relevance/relevance.ts'
import { queryTerms } from '../../text/terms/query-terms.ts'
import type { IndexFields } from '../collection/collection.ts'
import { FiltersAsOf } from '../fields/filter-as-of.ts'
import { type QueryClause, textsOf } from '../plain/query-clauses.ts'
import type { SearchWarning } from '../search-answer.ts'
import type { ScoreFactor } from '../topk/score-factors.ts'
import { keyOf } from './compiled-relevance.ts'
import type { Analysis } from './expand-query.ts'

/** Maximum number of pins and of boosts that one query has; those of the first rules count. */
const MAX_PINS = 20
const MAX_BOOSTS = 8

/** What the rules of an index do to one query. */
export interface ActiveRules {
  pins: readonly Pin[]
  factors: readonly ScoreFactor[]
  /** A warning about the last boost that does not fit the fields that the index has as of the instant. */
  warnings: SearchWarning[]
}

/** The pins and boosts of the rules that apply to a plain query; undefined if none does. */
export function activeRules(
  clauses: readonly QueryClause[],
  { language, relevance }: Analysis,
  fields: IndexFields,
  origin: DeltaOrigin,
): ActiveRules | undefined {
  const rules = relevance?.relevance.rules ?? []
  if (rules.length === 0) return undefined
  const texts = [...textsOf(clauses, 'word'), ...textsOf(clauses, 'phrase')]
  const has = new Set(queryTerms(texts.join(' '), language).map(keyOf))
  const applying = rules.filter(({ when }) => relevance?.keysOfRule(when, language).every(key => has.has(key)))
  if (applying.length === 0) return undefined
  const factors: ScoreFactor[] = []
  let warnings: SearchWarning[] = []
  for (const { filter, factor } of applying.flatMap(({ boost = [] }) => boost).slice(0, MAX_BOOSTS))
    try {
      const filters = new FiltersAsOf(fields, { origin, queryTime: undefined })
      const typed = filters.ofRequest(parseFilter(filter))
      filters.check()
      factors.push({ filter: typed, factor })
    } catch (error) {
      if (!isAsofError(error, 'ASOF_INVALID_OPTION')) throw error
      warnings = [{ code: 'boost', text: `a boost of the index was left out: ${error.message}` }]
    }
  return { pins: applying.flatMap(({ pin = [] }) => pin).slice(0, MAX_PINS), factors, warnings }
}
