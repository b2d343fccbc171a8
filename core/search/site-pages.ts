import type { Hit } from '../kernels/top-hits.ts'
import type { AnalyzedQuery } from './analysis/analyze-query.ts'
import type { AnalyzedWebql } from './analysis/analyze-webql.ts'
import { captureFilter } from './clauses/open-condition.ts'
import type { IndexView } from './collection/index-view.ts'
import { filterOf, withFilters } from './conditions/condition.ts'
import { findHits } from './find-hits.ts'
import type { HitOptions, RankedHits } from './topk/ranked-hits.ts'

/** The URLs that the home page of a site may have, likeliest first. None for a site with a path. */
export function homeUrls(site: string): string[] {
  if (site.includes('/')) return []
  const host = site.includes(':') ? `[${site}]` : site
  return ['https', 'http'].flatMap(scheme => [`${scheme}://${host}/`, `${scheme}://www.${host}/`])
}

/**
 * Lists the pages of the sites that a query names and that pass the filters of the request. The home page comes first, then the newest pages,
 * unless the request has an order by value. All have the score 0. Tests the hosts of captures one window at a time, newest first, until there
 * are enough. Reads no page.
 *
 * @param query - contains a `site:`; its words are ignored.
 * @param homes - captures that may be the home page, likeliest first.
 */
export function findSitePages(
  index: IndexView,
  query: AnalyzedQuery,
  options: HitOptions,
  homes: Iterable<Omit<Hit, 'score'>>,
): RankedHits<AnalyzedWebql> {
  const { sites, excludedSites } = query
  const condition = filterOf({ phrases: [], excluded: [], sites, excludedSites })
  const found = findHits(index, { condition, terms: [], patterns: [] }, options)
  const home = options.order ? undefined : homeAmong(index, query, options, homes)
  if (!home) return found
  const others = found.hits.filter(({ segment, ordinal }) => segment !== home.segment || ordinal !== home.ordinal)
  return { ...found, hits: [home, ...others].slice(0, options.limit) }
}

/** Returns the first of several captures that passes the filters of the query and of the request. */
function homeAmong(
  { views }: IndexView,
  query: AnalyzedQuery,
  options: HitOptions,
  homes: Iterable<Omit<Hit, 'score'>>,
): Hit | undefined {
  const filter = captureFilter(withFilters(filterOf({ ...query, phrases: [] }), options), options)
  for (const { segment, ordinal } of homes) {
    const view = views.find(view => view.segment === segment)
    if (view && ordinal >= view.from && ordinal < view.to && filter(view)(ordinal))
      return { segment, ordinal, score: 0 }
  }
  return undefined
}
