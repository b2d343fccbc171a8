import type { CurrentCapture } from '../../history/current-capture.ts'
import type { Hit } from '../../kernels/top-hits.ts'
import type { Pin } from '../../relevance/relevance.ts'
import { type Catalog, locateCapture } from '../../store/snapshots/catalog.ts'
import type { AnalyzedQuery } from '../analysis/analyze-query.ts'
import { captureFilter } from '../clauses/open-condition.ts'
import type { IndexView } from '../collection/index-view.ts'
import { filterOf, withFilters } from '../conditions/condition.ts'
import type { HitOptions } from '../topk/ranked-hits.ts'

/** The search among whose hits pages are pinned. */
export interface PinnedSearch {
  index: IndexView
  catalog: Catalog
  query: AnalyzedQuery
  options: HitOptions
  /** Returns the capture that a URL, or an alias, had at the instant of the search. */
  currentOf: (url: string) => CurrentCapture | undefined
}

/**
 * Puts pinned pages at their positions, among at most `options.limit` hits. A page must exist at the instant and fulfill the filters, sites and
 * exclusions of the search, but need not have its words. A pinned page has the score 0, because its position does not depend on a score.
 */
export function pinHits(hits: readonly Hit[], pins: readonly Pin[], search: PinnedSearch): Hit[] {
  const { index, catalog, query, options, currentOf } = search
  index.collection.expectPages(pins.map(({ url }) => url))
  const passes = captureFilter(withFilters(filterOf({ ...query, phrases: [] }), options), options)
  const pinned = new Map<number, { hit: Hit; position: number }>()
  for (const { url, position } of pins) {
    const current = currentOf(url)
    if (!current || pinned.has(current.captureId)) continue
    const { segment, ordinal } = locateCapture(catalog, current.captureId, current.at)
    const view = index.views.find(({ segment: one }) => one === segment)
    if (!view || ordinal < view.from || ordinal >= view.to || !passes(view)(ordinal)) continue
    pinned.set(current.captureId, { hit: { segment, ordinal, score: 0 }, position })
  }
  const placed = hits.filter(({ segment, ordinal }) => !pinned.has(segment.columns.captureIds[ordinal]!))
  let next = 0
  for (const { hit, position } of [...pinned.values()].sort((a, b) => a.position - b.position)) {
    const at = Math.max(position - 1, next)
    placed.splice(at, 0, hit)
    next = at + 1
  }
  return placed.slice(0, options.limit)
}
