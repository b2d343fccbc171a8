import { setImmediate } from 'node:timers/promises'
import { isAsofError } from '@asof/core'
import {
  homeUrls,
  type KeptCaptures,
  loadPages,
  PartialIndex,
  type ReadableAnswer,
  type ResolvedSearch,
  type UntimedSearch,
  type WholeIndex,
} from '@asof/core/internal'
import { uncertain } from '../not-answered.ts'
import type { ClusterDatabase, ClusterState } from '../stored/database.ts'
import { fieldsUpTo } from '../stored/field-holders.ts'
import type { Moment, Moments, OpenChanges } from '../stored/moments.ts'
import type { RelevanceVersions } from '../stored/relevance-versions.ts'
import { statisticsUpTo } from '../stored/statistics.ts'
import { searchFailed } from '../terms/term-index.ts'
import type { TermIndices } from '../terms/term-indices.ts'
import type { Vocabulary } from '../terms/vocabulary.ts'
import type { ClusterVectors } from '../vectors/cluster-vectors.ts'
import type { CountedMoment, KnownCounts } from './known-counts.ts'
import { type ViewedCluster, WholeView } from './whole-view.ts'

type Statistics = WholeIndex['statistics']

/** Number of times that a search is begun again because history was declared or purged meanwhile. */
const MAX_TRIES = 5

/** What became of the searches of an engine. */
export interface ProofCounts {
  /** Answers that were proved exact. */
  proved: number
  /** Searches for contenders beyond the first of an answer. */
  widened: number
  /** Answers of copies of the term index that were refused, because they lacked captures. */
  stale: number
  /** Searches that were refused with ASOF_UNCERTAIN. */
  uncertain: number
}

/** The parts of a cluster that searches use. */
export interface SearchedCluster {
  database: ClusterDatabase
  terms: TermIndices
  vocabulary: Vocabulary
  relevance: RelevanceVersions
  /** The captures and the numbers that searches have read. */
  kept: KeptCaptures
  counts: KnownCounts
  /** Undefined if no embeddings model is in use. */
  vectors: ClusterVectors | undefined
  proofs: ProofCounts
  writer: Pick<OpenChanges, 'applyOpen'>
  /** Drops what was kept of pages that were purged or expired since the last call. */
  dropDeleted: (state: ClusterState) => void
}

/** What a search needs besides the request. */
interface Searching {
  parts: SearchedCluster
  moments: Moments
  /** Returns true if the time of the search is over, so that the caller no longer waits for the answer. */
  isOver: () => boolean
}

/** Answers a search, or refuses it. @throws ASOF_SEARCH_TIMEOUT, ASOF_UNCERTAIN, ASOF_UNSUPPORTED, ASOF_SEARCH_FAILED */
export async function searchCluster(search: UntimedSearch, searching: Searching): Promise<ReadableAnswer> {
  const early = await answerEarly(search, searching)
  if (early) return early
  const { parts, moments, isOver } = searching
  if (isOver()) throw uncertain('its time is over')
  const { database, writer, proofs } = parts
  let request = await moments.request()
  search.at(request.requestedAt)
  let last: unknown
  for (let i = 0; i < MAX_TRIES; i++) {
    const moment = await moments.moment(search.at(request.requestedAt).asOf, request)
    const { rewrites, termIndex } = moment.state
    parts.vectors?.see(moment.state)
    const resolved = search.at(request.requestedAt)
    try {
      const { rewritesThen, ...answer } = await answerAt(resolved, moment, parts)
      if ((rewritesThen ?? (await database.state()).rewrites) === rewrites) {
        proofs.proved++
        return answer
      }
      last = uncertain('history was declared or purged meanwhile')
      request = moments.requestIn(await database.state())
    } catch (error) {
      if (isOver()) throw error
      // While history is declared or purged, counts do not fit one another, and anything may fail. So it may when the index is deleted
      // that another one replaced.
      const now = await database.state()
      const isOvertaken = now.rewrites !== rewrites || now.termIndex !== termIndex
      if (!isOvertaken && !isAsofError(error, 'ASOF_UNCERTAIN')) throw isAsofError(error) ? error : searchFailed(error)
      if (isAsofError(error) && error.details?.isStale === true) proofs.stale++
      last = isOvertaken ? uncertain('history was declared or purged, or the index replaced, meanwhile') : error
      // A dead writer may have left a change open.
      await writer.applyOpen()
      request = moments.requestIn(await database.state())
    }
  }
  proofs.uncertain++
  throw last
}

/**
 * Answers a search by the state of the cluster that was read last, and then checks that it still holds. So most searches wait for PostgreSQL
 * once.
 *
 * @returns undefined if it is not, or nothing was proved: then the search begins again.
 */
async function answerEarly(search: UntimedSearch, searching: Searching): Promise<ReadableAnswer | undefined> {
  const begun = beginEarly(search, searching)
  if (!begun) return undefined
  const { parts, moments } = searching
  const { resolved, moment } = begun
  const { asOf } = resolved
  /** Reads the state of the cluster while core ranks what was read. */
  let holding: Promise<boolean> | undefined
  const afterReads = async (rewrites: number | undefined): Promise<void> => {
    holding = asOf === undefined || rewrites === undefined ? moments.holds(moment, asOf) : undefined
    // An answer that begins again does not wait for it, even if it fails.
    holding?.catch(() => {})
    // The driver sends it in the second turn of the event loop from now. Core, which does not wait, must not begin before.
    for (let turn = 0; holding && turn < 2; turn++) await setImmediate()
  }
  try {
    const { rewritesThen, ...answer } = await answerAt(resolved, moment, parts, afterReads)
    const isKnown = asOf !== undefined && rewritesThen !== undefined
    const holds = isKnown ? rewritesThen === moment.state.rewrites : await (holding ?? moments.holds(moment, asOf))
    if (!holds) return undefined
    parts.proofs.proved++
    return answer
  } catch (error) {
    // By then another index may have replaced the one that was searched.
    const isPassing = isAsofError(error, 'ASOF_UNCERTAIN') || isAsofError(error, 'ASOF_SEARCH_FAILED')
    if (isPassing || !(await moments.holds(moment, asOf))) return undefined
    throw isAsofError(error) ? error : searchFailed(error)
  }
}

/** The moment of a search by the state of the cluster that was read last; undefined if that state has probably changed. */
function beginEarly(
  search: UntimedSearch,
  { parts, moments }: Searching,
): { resolved: ResolvedSearch; moment: Moment } | undefined {
  const request = moments.requestBefore()
  if (!request) return undefined
  try {
    parts.vectors?.see(request.state)
    const resolved = search.at(request.requestedAt)
    const isNow = resolved.asOf === undefined && moments.sealedAt === Number.POSITIVE_INFINITY
    const moment = isNow && !parts.database.hasStood ? undefined : moments.settled(resolved.asOf, request.state)
    return moment && { resolved, moment }
  } catch {
    // An instant that is in the future by the clock of this server may be past by that of another.
    return undefined
  }
}

/** An answer as of a moment, if no history was declared or purged since. */
interface AnswerThen extends ReadableAnswer {
  /** `ClusterState.rewrites` as of the last of all reads. Undefined if the last one was not of the database. */
  rewritesThen: number | undefined
}

async function answerAt(
  resolved: ResolvedSearch,
  { instant, state }: Moment,
  parts: SearchedCluster,
  afterReads?: ViewedCluster['afterReads'],
): Promise<AnswerThen> {
  const { database, terms, vocabulary, kept, counts } = parts
  const pages = database.pages(database.sql)
  parts.dropDeleted(state)
  const part = new PartialIndex(state, kept)
  const { rewrites } = state
  const statistics = await statisticsAt({ rewrites, instant }, parts)
  // Pages that are looked up by their URLs, not found by their words.
  const { asked, sites } = resolved
  const homes = asked.kind === 'site' ? [asked.site, ...sites].flatMap(homeUrls) : []
  await loadPages(part, asked.kind === 'page' ? [asked.url] : homes, pages)
  const relevance = await parts.relevance.at(instant, state)
  const readFields = (upTo: number) => database.read(sql => fieldsUpTo(sql, upTo))
  const until = { rewrites, instant: Math.max(instant, state.answeredAt) }
  const { meaning } = resolved
  const compared = { instant, rewrites, acquired: resolved.times.acquired }
  const vectors = meaning && (await parts.vectors?.search(meaning, compared, statistics.captures))
  const view = new WholeView({
    ...{ part, pages, kept, vocabulary, terms: terms.at(state.termIndex), applied: state.applied, counts },
    ...{ instant, until, statistics, relevance, readFields, vectors, afterReads },
    textFields: state.textFields.toSorted(),
  })
  try {
    const { receipt, ...answer } = await view.answer(resolved)
    return {
      answer: { ...answer, receipt: { ...receipt, segments: undefined } },
      read: work => work(part.snapshot(instant)),
      rewritesThen: view.rewrites,
    }
  } finally {
    parts.proofs.widened += Math.max(0, view.searches - 1)
  }
}

async function statisticsAt(moment: CountedMoment, { database, counts }: SearchedCluster): Promise<Statistics> {
  const known = counts.statistics(moment)
  if (known) return known
  const { captures, length, declared } = await database.read(sql => statisticsUpTo(sql, moment.instant))
  const statistics = { captures, averageLength: captures > 0 ? length / captures : 0, declared }
  counts.learnStatistics(statistics, moment)
  return statistics
}
