import { setImmediate } from 'node:timers/promises'
import { isAsofError } from '@asof/core'
import {
  type CollectionSource,
  homeUrls,
  type KeptCaptures,
  loadPages,
  PartialIndex,
  type ReadableAnswer,
  type ResolvedSearch,
  type UntimedSearch,
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
import { ClusterCollection, type ViewedCluster } from './cluster-collection.ts'
import type { CountedMoment, KnownCounts } from './known-counts.ts'

type Statistics = CollectionSource['statistics']

/** Maximum number of tries of one search. It begins again if history was declared or purged meanwhile. */
const MAX_TRIES = 5

/** Counts of how the searches of an engine ended. */
export interface ProofCounts {
  /** Number of answers that were proved exact. */
  proved: number
  /** Number of requests for contenders beyond the first one of each answer. */
  widened: number
  /** Number of tries that failed because a copy of the term index lacked captures. */
  stale: number
  /** Number of searches that failed with ASOF_UNCERTAIN. */
  uncertain: number
}

/** The parts of a cluster that searches use. */
export interface SearchedCluster {
  database: ClusterDatabase
  terms: TermIndices
  vocabulary: Vocabulary
  relevance: RelevanceVersions
  /** The captures that searches have read. */
  kept: KeptCaptures
  counts: KnownCounts
  /** Undefined if no embeddings model is in use. */
  vectors: ClusterVectors | undefined
  proofs: ProofCounts
  writer: Pick<OpenChanges, 'applyOpen'>
  /** Clears {@link kept} if any captures were purged or expired since the last call. */
  dropDeleted: (state: ClusterState) => void
}

/** What a search needs besides its request. */
interface Searching {
  parts: SearchedCluster
  moments: Moments
  /** Returns true once the time limit of the search has passed: the caller no longer waits for the answer. */
  isOver: () => boolean
}

/** Answers a search exactly, or throws. @throws ASOF_SEARCH_TIMEOUT, ASOF_UNCERTAIN, ASOF_UNSUPPORTED, ASOF_SEARCH_FAILED */
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
      // If history was declared or purged meanwhile, numbers that were read one after another may contradict each other, and any step may
      // fail. The same is true if the searched index was replaced and deleted.
      const now = await database.state()
      const isOvertaken = now.rewrites !== rewrites || now.termIndex !== termIndex
      if (!isOvertaken && !isAsofError(error, 'ASOF_UNCERTAIN')) throw isAsofError(error) ? error : searchFailed(error)
      if (isAsofError(error) && error.details?.isStale === true) proofs.stale++
      last = isOvertaken ? uncertain('history was declared or purged, or the index replaced, meanwhile') : error
      // A writer that died may have left a change open.
      await writer.applyOpen()
      request = moments.requestIn(await database.state())
    }
  }
  proofs.uncertain++
  throw last
}

/**
 * Answers a search by the state of the cluster that an earlier request read, and then checks that nothing has changed. So most searches wait
 * for PostgreSQL once.
 *
 * @returns undefined if something has changed, or nothing was proved: then the search begins again.
 */
async function answerEarly(search: UntimedSearch, searching: Searching): Promise<ReadableAnswer | undefined> {
  const begun = beginEarly(search, searching)
  if (!begun) return undefined
  const { parts, moments } = searching
  const { resolved, moment } = begun
  const { asOf } = resolved
  /** Resolves with true if the moment of the search still holds. PostgreSQL is asked while core ranks what was read. */
  let holding: Promise<boolean> | undefined
  const afterReads = async (rewrites: number | undefined): Promise<void> => {
    holding = asOf === undefined || rewrites === undefined ? moments.holds(moment, asOf) : undefined
    // An answer that begins again does not wait for this promise, so its failure must not be unhandled.
    holding?.catch(() => {})
    // The driver of PostgreSQL sends the statement in the second turn of the event loop from now. Core blocks the loop, so core begins later.
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
    // Another index may have replaced the searched one meanwhile.
    const isPassing = isAsofError(error, 'ASOF_UNCERTAIN') || isAsofError(error, 'ASOF_SEARCH_FAILED')
    if (isPassing || !(await moments.holds(moment, asOf))) return undefined
    throw isAsofError(error) ? error : searchFailed(error)
  }
}

/** Returns the moment of a search according to the state that was read last; undefined if that state has probably changed. */
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
    // An instant that is in the future by the last known state may be past by the current one.
    return undefined
  }
}

/** An answer as of a moment. It is exact if no history was declared or purged since the moment was read. */
interface AnswerThen extends ReadableAnswer {
  /** `ClusterState.rewrites` at the time of the last read. Undefined if the last read was not from PostgreSQL. */
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
  // The page or the site that the query names is looked up by its URLs, because its words need not match.
  const { asked, sites } = resolved
  const homes = asked.kind === 'site' ? [asked.site, ...sites].flatMap(homeUrls) : []
  await loadPages(part, asked.kind === 'page' ? [asked.url] : homes, pages)
  const relevance = await parts.relevance.at(instant, state)
  const readFields = (upTo: number) => database.read(sql => fieldsUpTo(sql, upTo))
  const until = { rewrites, instant: Math.max(instant, state.answeredAt) }
  const { meaning } = resolved
  const compared = { instant, rewrites, acquired: resolved.times.acquired }
  const vectors = meaning && (await parts.vectors?.search(meaning, compared, statistics.acquired))
  const collection = new ClusterCollection({
    part,
    pages,
    kept,
    vocabulary,
    terms: terms.at(state.termIndex),
    applied: state.applied,
    counts,
    instant,
    until,
    statistics,
    relevance,
    readFields,
    vectors,
    afterReads,
    textFields: state.textFields.toSorted(),
  })
  try {
    const { receipt, ...answer } = await collection.answer(resolved)
    return {
      answer: { ...answer, receipt: { ...receipt, segments: undefined } },
      read: work => work(part.snapshot(instant)),
      rewritesThen: collection.rewrites,
    }
  } finally {
    parts.proofs.widened += Math.max(0, collection.searches - 1)
  }
}

async function statisticsAt(moment: CountedMoment, { database, counts }: SearchedCluster): Promise<Statistics> {
  const known = counts.statistics(moment)
  if (known) return known
  const sums = await database.read(sql => statisticsUpTo(sql, moment.instant))
  const { captures: acquired, standing: captures, standingLength, declared } = sums
  const statistics = { captures, averageLength: captures > 0 ? standingLength / captures : 0, acquired, declared }
  counts.learnStatistics(statistics, moment)
  return statistics
}
