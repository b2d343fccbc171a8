import type { Segment } from '../segment/segment.ts'
import { hostTerm } from '../text/terms/host-term.ts'
import { Conditions } from './filter/filter.ts'
import type { FindOptions, Found } from './find-hits.ts'
import { ListProbes } from './postings/posting-cursor.ts'
import { viewsAt } from './postings/segment-view.ts'
import type { ParsedQuery } from './query/parse-query.ts'
import type { Hit } from './topk/top-hits.ts'
import { findWebqlHits } from './webql/find-webql-hits.ts'
import type { Condition, WebqlQuery } from './webql/webql-query.ts'

/** The pages of a site, without words: all have the score 0. */
export interface SitePages {
  found: Found
  query: WebqlQuery
}

/** The addresses that the home page of a site may have, the likeliest first. */
export function homeUrls(site: string): string[] {
  const host = site.includes(':') ? `[${site}]` : site
  return ['https', 'http'].flatMap(scheme => [`${scheme}://${host}/`, `${scheme}://www.${host}/`])
}

/**
 * The pages of the sites that a query names, under its filters: the home page first, then the newest. The hosts of all
 * captures are looked at a window at a time, newest first, until there are enough; no page is read.
 *
 * @param query - one with `site:`; its words don't matter.
 * @param homes - where the home page may be, the likeliest first.
 */
export function findSitePages(
  segments: readonly Segment[],
  query: ParsedQuery,
  options: FindOptions,
  homes: Iterable<Omit<Hit, 'score'>>,
): SitePages {
  const listed: WebqlQuery = { condition: onSites(query), terms: [], patterns: [] }
  const found = findWebqlHits(segments, listed, options)
  const home = homeAmong(segments, query, options, homes)
  if (!home) return { found, query: listed }
  const others = found.hits.filter(({ segment, ordinal }) => segment !== home.segment || ordinal !== home.ordinal)
  return { found: { ...found, hits: [home, ...others].slice(0, options.limit) }, query: listed }
}

function onSites({ sites, excludedSites }: ParsedQuery): Condition {
  const host = (site: string): Condition => {
    return { kind: 'phrase', phrase: [{ term: hostTerm(site), offset: 0 }], title: false }
  }
  const parts = [...sites.map(host), ...excludedSites.map((site): Condition => ({ kind: 'not', part: host(site) }))]
  return { kind: 'all', parts }
}

/** The first of several captures that the filters let pass. */
function homeAmong(
  segments: readonly Segment[],
  query: ParsedQuery,
  { instant, times, sites }: FindOptions,
  homes: Iterable<Omit<Hit, 'score'>>,
): Hit | undefined {
  const views = viewsAt(segments, instant, times.acquired)
  for (const { segment, ordinal } of homes) {
    const view = views.find(view => view.segment === segment)
    if (!view || ordinal < view.from || ordinal >= view.to) continue
    const options = { query: { ...query, phrases: [] }, sites, instant, published: times.published }
    const conditions = new Conditions(segment, options, new ListProbes())
    if (!conditions.impossible && conditions.isInRequired(ordinal) && conditions.accepts(ordinal))
      return { segment, ordinal, score: 0 }
  }
  return undefined
}
