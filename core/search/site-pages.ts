import type { Hit } from '../kernels/top-hits.ts'
import { hostTerm } from '../text/terms/host-term.ts'
import { Filter } from './filter/filter.ts'
import { PostingCursors } from './postings/posting-cursor.ts'
import type { IndexView } from './postings/segment-view.ts'
import type { AnalyzedQuery } from './query/analyze-query.ts'
import type { HitOptions, RankedHits } from './topk/ranked-hits.ts'
import type { AnalyzedWebql, Condition } from './webql/analyze-webql.ts'
import { findWebqlHits } from './webql/find-webql-hits.ts'

/** The pages of a site; all have the score 0. */
export interface SitePages {
  found: RankedHits
  query: AnalyzedWebql
}

/** The URLs that the home page of a site may have, likeliest first. */
export function homeUrls(site: string): string[] {
  const host = site.includes(':') ? `[${site}]` : site
  return ['https', 'http'].flatMap(scheme => [`${scheme}://${host}/`, `${scheme}://www.${host}/`])
}

/**
 * Lists the pages of the sites that a query names, under its filters: the home page first, then the newest. Tests the hosts
 * of captures one window at a time, newest first, until there are enough; reads no page.
 *
 * @param query - contains a `site:`; its words are ignored.
 * @param homes - captures that may be the home page, likeliest first.
 */
export function findSitePages(
  index: IndexView,
  query: AnalyzedQuery,
  options: HitOptions,
  homes: Iterable<Omit<Hit, 'score'>>,
): SitePages {
  const listed: AnalyzedWebql = { condition: onSites(query), terms: [], patterns: [] }
  const found = findWebqlHits(index, listed, options)
  const home = homeAmong(index, query, options, homes)
  if (!home) return { found, query: listed }
  const others = found.hits.filter(({ segment, ordinal }) => segment !== home.segment || ordinal !== home.ordinal)
  return { found: { ...found, hits: [home, ...others].slice(0, options.limit) }, query: listed }
}

function onSites({ sites, excludedSites }: AnalyzedQuery): Condition {
  const host = (site: string): Condition => {
    return { kind: 'phrase', phrase: [{ term: hostTerm(site), offset: 0 }], title: false }
  }
  const parts = [...sites.map(host), ...excludedSites.map((site): Condition => ({ kind: 'not', part: host(site) }))]
  return { kind: 'all', parts }
}

/** The first of several captures that passes the filter. */
function homeAmong(
  { views, instant }: IndexView,
  query: AnalyzedQuery,
  { published, sites, filter, scratch }: HitOptions,
  homes: Iterable<Omit<Hit, 'score'>>,
): Hit | undefined {
  for (const { segment, ordinal } of homes) {
    const view = views.find(view => view.segment === segment)
    if (!view || ordinal < view.from || ordinal >= view.to) continue
    const options = { query: { ...query, phrases: [] }, sites, instant, published, filter }
    const open = new Filter(segment, options, new PostingCursors(scratch.blocks))
    if (!open.matchesNothing && open.isInRequired(ordinal) && open.matches(ordinal))
      return { segment, ordinal, score: 0 }
  }
  return undefined
}
