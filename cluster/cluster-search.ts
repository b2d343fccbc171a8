import { isAsofError } from '@asof/core'
import {
  type Completion,
  homeUrls,
  loadPages,
  type ParsedSearch,
  PartialIndex,
  type ReadableAnswer,
  resolveSearch,
  type SearchedIndex,
  type WholeIndex,
} from '@asof/core/internal'
import type { ClusterParts } from './cluster-parts.ts'
import { fieldsUpTo } from './field-holders.ts'
import type { CountedMoment } from './known-counts.ts'
import type { Moments } from './moments.ts'
import { uncertain } from './not-answered.ts'
import { statisticsUpTo } from './statistics.ts'
import { searchFailed } from './term-index.ts'
import { WholeView } from './whole-view.ts'

type Statistics = WholeIndex['statistics']

/** Number of times that a search is begun again because history was declared or purged meanwhile. */
const MOST_TRIES = 5

/** A cluster, for searches with models. */
export function clusterSearches(parts: ClusterParts, moments: Moments): SearchedIndex {
  return {
    expectTimes: async parsed => {
      resolveSearch(parsed, (await moments.request()).requestAt)
    },
    search: (parsed, complete = request => request) => searchCluster(parsed, { parts, moments, complete }),
  }
}

/** Answers a search, or refuses it. @throws ASOF_UNCERTAIN, ASOF_UNSUPPORTED, ASOF_SEARCH_FAILED */
async function searchCluster(
  parsed: ParsedSearch,
  { parts, moments, complete }: { parts: ClusterParts; moments: Moments; complete: Completion },
): Promise<ReadableAnswer> {
  const { proofs } = parts
  let request = await moments.request()
  resolveSearch(parsed, request.requestAt)
  const { database, terms, vocabulary, writer, kept, counts } = parts
  let last: unknown
  for (let i = 0; i < MOST_TRIES; i++) {
    const resolved = complete(resolveSearch(parsed, request.requestAt))
    const { instant, clock } = await moments.moment(resolved.instant, request)
    const pages = database.pages(database.sql)
    parts.dropDeleted(clock)
    const part = new PartialIndex(clock, kept)
    const { rewrites } = clock
    const statistics = await statisticsAt({ rewrites, instant }, parts)
    // Pages that are looked up by their URLs, not found by their words.
    const { url, onlySite, sites } = resolved
    const homes = onlySite ? [onlySite.site, ...sites].flatMap(homeUrls) : []
    await loadPages(part, url === undefined ? homes : [url], pages)
    const relevance = await parts.relevance.at(instant, clock)
    const readFields = () => database.read(sql => fieldsUpTo(sql, instant))
    const until = { rewrites, instant: Math.max(instant, clock.answeredAt) }
    const view = new WholeView({
      ...{ part, pages, kept, vocabulary, terms: terms.at(clock.termIndex), applied: clock.applied, counts },
      ...{ instant, until, statistics, relevance, readFields },
    })
    try {
      const answer = await view.answer(resolved)
      proofs.widened += Math.max(0, view.searches - 1)
      if ((view.rewrites ?? (await database.clock()).rewrites) === rewrites) {
        proofs.proved++
        return {
          answer: { ...answer, receipt: { ...answer.receipt, segments: 0 } },
          read: work => work(part.snapshot(instant)),
        }
      }
      last = uncertain('history was declared or purged meanwhile')
      request = moments.requestIn(await database.clock())
    } catch (error) {
      // While history is declared or purged, counts do not fit one another, and anything may fail. So it may when the index is deleted
      // that another one replaced.
      const now = await database.clock()
      const isOvertaken = now.rewrites !== rewrites || now.termIndex !== clock.termIndex
      if (!isOvertaken && !isAsofError(error, 'ASOF_UNCERTAIN')) throw isAsofError(error) ? error : searchFailed(error)
      if (isAsofError(error) && error.details?.isStale === true) proofs.stale++
      last = isOvertaken ? uncertain('history was declared or purged, or the index replaced, meanwhile') : error
      // A dead writer may have left a batch open.
      await writer.applyOpen()
      request = moments.requestIn(await database.clock())
    }
  }
  proofs.uncertain++
  throw last
}

async function statisticsAt(moment: CountedMoment, { database, counts }: ClusterParts): Promise<Statistics> {
  const known = counts.statistics(moment)
  if (known) return known
  const { captures, length, declared } = await database.read(sql => statisticsUpTo(sql, moment.instant))
  const statistics = { captures, averageLength: captures > 0 ? length / captures : 0, declared }
  counts.learnStatistics(statistics, moment)
  return statistics
}
