import type { SearchAnswer } from '@asof/core'
import {
  type CollectionSource,
  type ContenderQuery,
  type ExpandedPattern,
  type KeptCaptures,
  type KnownUntil,
  type LastHit,
  loadPages,
  MAX_EXPANSIONS,
  type MatchesElsewhere,
  type NearestMinimum,
  type NearestQuery,
  type PartialIndex,
  type ResolvedSearch,
  type TermPattern,
  type ValueName,
  type ValueOrder,
} from '@asof/core/internal'
import { uncertain, unknown, unsupported } from '../not-answered.ts'
import type { StoredPages } from '../stored/stored-pages.ts'
import type { BestQuery } from '../terms/best-captures.ts'
import type { CapturesSearch, TermIndex } from '../terms/term-index.ts'
import { hasAnyTerm, hasTerm, isCurrent, type TermQuery } from '../terms/term-queries.ts'
import type { Vocabulary } from '../terms/vocabulary.ts'
import type { SearchedVectors } from '../vectors/compared-vectors.ts'
import { AllMatches } from './all-matches.ts'
import { acquiredWithin, allQueries } from './condition-query.ts'
import { Contenders, mayPrecede, type Unseen } from './contenders.ts'
import type { KnownCounts } from './known-counts.ts'
import { NearestCaptures } from './nearest-captures.ts'

type NearTerm = ReturnType<CollectionSource['nearTerms']>[number]
type MatchingTerms = Omit<ExpandedPattern, 'captures'>
type Statistics = CollectionSource['statistics']
type FieldType = NonNullable<ReturnType<CollectionSource['fieldType']>>

/** What one search gets to read a cluster. */
export interface ViewedCluster {
  /** The pages in view. Contenders are added to them during the search. */
  part: PartialIndex
  pages: StoredPages
  /** Captures that earlier searches have read. */
  kept: KeptCaptures
  terms: TermIndex
  vocabulary: Vocabulary
  /** The number of the last change that each copy of the term index must have. */
  applied: number
  /** Counts that earlier searches have read. */
  counts: KnownCounts
  /** Epoch ms. */
  instant: number
  /** The state of the cluster, and the latest instant, for which histories that are read now are known to be true. */
  until: KnownUntil
  statistics: Statistics
  /** The names of the fields with texts. */
  textFields: readonly string[]
  /** The relevance as of the instant. Undefined if none was set by then. */
  relevance?: CollectionSource['relevance']
  /** Reads the types of the fields that some page had up to an instant. */
  readFields: (instant: number) => Promise<ReadonlyMap<string, FieldType>>
  /** Undefined if the query has no vector. */
  vectors?: SearchedVectors | undefined
  /**
   * Called after each round of reads. If the answer does not begin again, that round was the last one.
   *
   * @param rewrites - `ClusterState.rewrites` at the time of the last read; undefined if that was not from PostgreSQL.
   */
  afterReads?: ((rewrites: number | undefined) => Promise<void>) | undefined
}

/** A proof begins with this number of contenders for each wanted result, but with at least {@link MIN_CONTENDERS}. */
const CONTENDERS_PER_RESULT = 2
const MIN_CONTENDERS = 20
/** Factor by which the number of contenders grows when a proof fails, up to {@link MAX_CONTENDERS}. */
const WIDENING = 4
const MAX_CONTENDERS = 50_000
/** Maximum number of captures that are brought into view because they may be among the nearest to a vector. */
const MAX_NEAREST = 5_000
/** Maximum number of times that an answer begins again because a number was not known. Corrected and split words need the most rounds. */
const MAX_ROUNDS = 60

/** Maximum number of pages that are brought into view at a time. */
const MAX_BROUGHT = 400

/** A pattern is too large if more than this number of terms in the vocabulary match it, even if captures no longer have some of them. */
const MAX_MATCHING = 10 * MAX_EXPANSIONS
/** Number of counts in one request. */
const COUNTED_AT_ONCE = 500

/** A number of captures that has to be counted. */
interface WantedCount {
  /** Matches the captures among those that were acquired up to the instant. */
  query: TermQuery
  /** Called with their number. */
  learn: (count: number) => void
}

/**
 * The statistics and the vocabulary of a cluster, as far as one search knows them. The search sees a few pages in memory. It is the search of a
 * single machine, and runs without waiting. If it needs a number that is not known yet, this class notes that number. All noted numbers are then
 * read from the servers, and the search begins again. The answer is the one of a run that noted nothing.
 */
export class ClusterCollection implements CollectionSource {
  readonly statistics: Statistics
  readonly relevance: CollectionSource['relevance']
  /** Number of requests for contenders. */
  searches = 0
  readonly #cluster: ViewedCluster
  /** The wanted counts by name. */
  readonly #wantedCounts = new Map<string, WantedCount>()
  /** True if a wanted count has not even an estimate. */
  #isBlind = false
  readonly #contenders = new Map<string, Contenders>()
  readonly #wantedContenders = new Set<Contenders>()
  /** The numbers of the captures in view. */
  readonly #inView = new Set<number>()
  /** True if the last read was one of captures, whose transaction also read `rewrites`. */
  #isReadLast = false
  #acquired: TermQuery = { match_all: {} }
  /** The types of the fields that some page had up to an instant, by instant. */
  readonly #fields = new Map<number, ReadonlyMap<string, FieldType>>()
  readonly #wantedFields = new Set<number>()
  readonly #near = new Map<string, NearestCaptures>()
  readonly #wantedNear = new Set<NearestCaptures>()
  readonly #matchingTerms = new Map<string, MatchingTerms>()
  readonly #wantedPatterns = new Map<string, TermPattern>()
  /** The URLs whose pages were brought into view, and those whose pages are still wanted. */
  readonly #lookedUp = new Set<string>()
  readonly #wantedUrls = new Set<string>()
  readonly #search: CapturesSearch
  readonly #all: AllMatches

  constructor(cluster: ViewedCluster) {
    this.#cluster = cluster
    this.statistics = cluster.statistics
    this.relevance = cluster.relevance
    const { terms, instant, applied } = cluster
    this.#search = async bodies => {
      const found = await terms.search(instant, { applied, bodies })
      this.#isReadLast = false
      this.#expectComplete(found?.captures)
      return found!.answers
    }
    this.#all = new AllMatches(instant, this.#search, captureIds => this.#bringAll(captureIds))
  }

  /** @throws ASOF_UNCERTAIN, ASOF_UNSUPPORTED */
  async answer(request: ResolvedSearch): Promise<SearchAnswer> {
    const { part, instant, vectors, afterReads } = this.#cluster
    this.#acquired = acquiredWithin(request.times.acquired)
    for (let round = 0; round < MAX_ROUNDS; round++) {
      try {
        const answer = part.answer(request, instant, this)
        if (vectors?.isOvertaken) throw uncertain('vectors were added or deleted meanwhile')
        if (this.#isAllKnown) return answer
      } catch (error) {
        // An error that follows from an estimate may not follow from the exact count.
        if (error !== unknown && this.#isAllKnown) throw error
      }
      await this.#findOut()
      await afterReads?.(this.rewrites)
    }
    throw uncertain('the query depends on too many words that no page has')
  }

  /** True if no number is noted that has to be read. */
  get #isAllKnown(): boolean {
    const { vectors } = this.#cluster
    return (
      this.#wantedCounts.size === 0 && !this.#all.isWanting && this.#wantedNear.size === 0 && !vectors?.isIncomplete
    )
  }

  /** `ClusterState.rewrites` at the time of the last read. Undefined if the last read was not from PostgreSQL. */
  get rewrites(): number | undefined {
    return this.#isReadLast ? this.#cluster.pages.rewrites : undefined
  }

  frequencyOf(term: string): number {
    return this.#count(`term ${term}`, () => hasTerm(term))
  }

  contains(term: string): boolean {
    const { counts, until, instant } = this.#cluster
    const name = `term ${term}`
    const moment = { ...until, instant }
    // A term that no capture has had so far is asked for once, and not again as of each earlier instant.
    const isAcquired = counts.isAcquired(name, moment)
    if (isAcquired === undefined)
      this.#wantedCounts.set(`acquired ${name}`, {
        query: hasTerm(term),
        learn: count => counts.learnAcquired(name, count > 0, moment),
      })
    return (isAcquired ?? counts.estimate(name, 1) > 0) && this.frequencyOf(term) > 0
  }

  nearTerms(term: string, edits: number): NearTerm[] {
    const prefix = String.fromCodePoint(term.codePointAt(0) ?? 0)
    const fuzzy = { word: term, edits }
    const { terms } = this.#matching({ text: '', at: 0, prefix, fuzzy, title: false, scores: false })
    return terms.flatMap(near => {
      const captures = this.frequencyOf(near)
      return captures > 0 ? [{ term: near, captures }] : []
    })
  }

  expand(pattern: TermPattern): ExpandedPattern {
    const { terms, isTooLarge } = this.#matching(pattern)
    const captures = terms.length > 0 ? this.#count(`pattern ${JSON.stringify(pattern)}`, () => hasAnyTerm(terms)) : 0
    return { terms, isTooLarge, captures }
  }

  /** Returns the terms that match a pattern as of the instant; no terms if there are too many. */
  #matching(pattern: TermPattern): MatchingTerms {
    const name = JSON.stringify(pattern)
    const known = this.#matchingTerms.get(name)
    if (known) return known
    this.#wantedPatterns.set(name, pattern)
    throw unknown
  }

  expectBest(query: ContenderQuery, k: number, last: LastHit | undefined): void {
    if (this.#isBlind) throw unknown
    const present = this.#presentOf(query)
    if (query.onlyScored && present.length === 0) return
    const contenders = this.#contendersFor(query)
    // Weights that follow from estimates prove nothing.
    if (this.#wantedCounts.size === 0 && !this.#mayBeBetter(contenders, present, last)) return
    if (this.#wantedCounts.size > 0 && contenders.asked > 0) throw unknown
    contenders.wanted = { k, last }
    this.#wantedContenders.add(contenders)
    throw unknown
  }

  fieldType(name: string): FieldType | undefined {
    return this.#fieldsUpTo(this.#cluster.instant).get(name)
  }

  fieldNames(instant = this.#cluster.instant): string[] {
    return [...this.#fieldsUpTo(instant).keys()].sort()
  }

  textFields(): readonly string[] {
    return this.#cluster.textFields
  }

  #fieldsUpTo(instant: number): ReadonlyMap<string, FieldType> {
    const known = this.#fields.get(instant)
    if (known) return known
    this.#wantedFields.add(instant)
    throw unknown
  }

  matches(query: ContenderQuery, values: readonly ValueName[]): MatchesElsewhere {
    if (this.#wantedCounts.size > 0) throw unknown
    return this.#all.of(query, this.#acquired, values)
  }

  expectFirst(query: ContenderQuery, order: ValueOrder, k: number): void {
    if (this.#wantedCounts.size > 0) throw unknown
    this.#all.expectFirst(query, this.#acquired, order, k)
  }

  expectPages(urls: readonly string[]): void {
    for (const url of urls) if (!this.#lookedUp.has(url)) this.#wantedUrls.add(url)
    if (this.#wantedUrls.size > 0) throw unknown
  }

  similarityTo(): SearchedVectors | undefined {
    return this.#cluster.vectors
  }

  expectNearest({ conditions, most, minDeviations, scores }: NearestQuery): NearestMinimum {
    const { vectors } = this.#cluster
    if (!vectors) return { least: Number.POSITIVE_INFINITY, compared: 0 }
    const { least, captures, compared } = vectors.near(minDeviations)
    const name = JSON.stringify(conditions)
    const near = this.#near.get(name) ?? new NearestCaptures(conditions)
    this.#near.set(name, near)
    near.want(captures, { most, last: scores.length < most ? least : scores[most - 1]!, inView: this.#inView })
    if (near.wanted.length > 0) this.#wantedNear.add(near)
    return { least, compared }
  }

  refuse(what: string): never {
    throw unsupported(what, `a cluster does not support ${what} in queries`)
  }

  /** Returns the contenders of a query, and gives them its current weights. */
  #contendersFor(query: ContenderQuery): Contenders {
    const name = Contenders.nameOf(query)
    const contenders = this.#contenders.get(name) ?? new Contenders(query)
    contenders.query = query
    this.#contenders.set(name, contenders)
    return contenders
  }

  /** Returns the terms of a query that some capture has that stood. */
  #presentOf({ terms }: ContenderQuery): ContenderQuery['terms'] {
    return terms.filter(({ term }) => this.frequencyOf(term) > 0)
  }

  /** True if a capture that is not in view may be better than the last wanted hit in view. */
  #mayBeBetter(contenders: Contenders, present: ContenderQuery['terms'], last: LastHit | undefined): boolean {
    const unseen = [contenders.others(present), contenders.waiting(this.#inView).at(-1)]
    return unseen.some(one => one && mayPrecede(one, last))
  }

  /** Returns the number of captures that stood at the instant and match a query. It is an estimate if they have to be counted first. */
  #count(name: string, queryOf: () => TermQuery): number {
    const { counts, until, instant, statistics } = this.#cluster
    const moment = { ...until, instant, captures: statistics.captures }
    const known = counts.count(name, moment)
    if (known !== undefined) return known
    this.#wantedCounts.set(name, {
      query: allQueries([isCurrent(instant), queryOf()]),
      learn: count => counts.learn(name, count, moment),
    })
    const estimate = counts.estimate(name, statistics.captures)
    if (estimate === 0) this.#isBlind = true
    return estimate
  }

  async #findOut(): Promise<void> {
    const { readFields, part, pages } = this.#cluster
    for (const at of this.#wantedFields) {
      this.#isReadLast = false
      this.#fields.set(at, await readFields(at))
    }
    this.#wantedFields.clear()
    if (this.#wantedUrls.size > 0) {
      this.#isReadLast = false
      await loadPages(part, this.#wantedUrls, pages)
      for (const url of this.#wantedUrls) this.#lookedUp.add(url)
      this.#wantedUrls.clear()
    }
    for (const [name, pattern] of this.#wantedPatterns) {
      this.#isReadLast = false
      this.#matchingTerms.set(name, await this.#readMatching(pattern))
    }
    this.#wantedPatterns.clear()
    await this.#all.findOut()
    for (const near of this.#wantedNear) await this.#bringNear(near)
    this.#wantedNear.clear()
    if (this.#cluster.vectors?.isIncomplete) {
      this.#isReadLast = false
      await this.#cluster.vectors.readWanted()
    }
    const [first, ...others] = this.#wantedContenders
    await this.#find(first)
    for (const contenders of others) await this.#find(contenders)
    this.#wantedContenders.clear()
    this.#isBlind = false
  }

  async #readMatching(pattern: TermPattern): Promise<MatchingTerms> {
    const { vocabulary, terms: index, applied, instant } = this.#cluster
    const terms = await vocabulary.matching(pattern, instant, MAX_MATCHING)
    if (terms.length <= MAX_EXPANSIONS) return { terms, isTooLarge: false }
    // The captures with some of these terms may all have been deleted. Superseded captures count here: the limit of one machine does so too.
    const live: string[] = []
    for (let from = 0; terms.length <= MAX_MATCHING && from < terms.length; from += COUNTED_AT_ONCE) {
      const some = terms.slice(from, from + COUNTED_AT_ONCE)
      const answers = await index.ask(instant, { applied, counted: some.map(hasTerm) })
      this.#expectComplete(answers?.captures)
      live.push(...some.filter((_, t) => answers!.counts[t]! > 0))
    }
    const isTooLarge = terms.length > MAX_MATCHING || live.length > MAX_EXPANSIONS
    return { terms: isTooLarge ? [] : live, isTooLarge }
  }

  /** Reads the wanted counts and, if needed, more contenders of a query. Brings the best contenders into view. */
  async #find(contenders: Contenders | undefined): Promise<void> {
    const { terms, applied, instant } = this.#cluster
    const waiting = contenders?.waiting(this.#inView).at(-1)
    const isEnough = !contenders || (waiting !== undefined && mayPrecede(waiting, contenders.wanted.last))
    const best = isEnough ? undefined : this.#nextSearch(contenders)
    const wanted = [...this.#wantedCounts.values()]
    if (best || wanted.length > 0) {
      this.#isReadLast = false
      const answers = await terms.ask(instant, { applied, counted: wanted.map(({ query }) => query), best })
      this.#expectComplete(answers?.captures)
      for (const [i, { learn }] of wanted.entries()) learn(answers!.counts[i]!)
      this.#wantedCounts.clear()
      if (best) contenders!.enter(best, answers!.found)
    }
    if (contenders) await this.#bring(contenders)
  }

  /** Returns the next request to OpenSearch for contenders. Each asks for more contenders than the one before. */
  #nextSearch(contenders: Contenders): BestQuery {
    const { query, asked, wanted } = contenders
    const present = this.#presentOf(query)
    // The previous request may have had estimated weights, and may have left out a term that captures have.
    const isWhole = asked === 0 || contenders.hasAll(present)
    if (isWhole && asked >= MAX_CONTENDERS) throw uncertain(`more than ${MAX_CONTENDERS} pages may be among the best`)
    const first = Math.max(MIN_CONTENDERS, CONTENDERS_PER_RESULT * wanted.k)
    this.searches++
    const known = Math.min(MAX_CONTENDERS, Math.max(first, isWhole ? asked * WIDENING : asked))
    // A request whose answer has no order cannot be continued.
    return contenders.search(present, this.#acquired, { known, isInParts: isWhole && asked > 0 })
  }

  /**
   * Brings the best contenders into view. If enough results are in view, it brings those that may be better than the last result. Otherwise it
   * brings as many as results are wanted, then twice as many each time, because conditions that OpenSearch cannot evaluate may exclude most of
   * them.
   */
  async #bring(contenders: Contenders): Promise<void> {
    const { wanted, brought } = contenders
    const waiting = contenders.waiting(this.#inView)
    const first = Math.max(wanted.k, brought)
    // The estimated score of the last contender that may be among the first ones.
    const least = waiting.map(one => one.least).sort((a, b) => b - a)[first - 1] ?? 0
    const ids: number[] = []
    const isWanted = (one: Unseen): boolean =>
      wanted.last ? mayPrecede(one, wanted.last) : ids.length < first || one.most >= least
    // All wanted contenders are brought at once, because core ranks everything in view again after each part.
    const most = wanted.last ? MAX_BROUGHT : Math.max(MAX_BROUGHT, first)
    for (let next = waiting.pop(); next && isWanted(next) && ids.length < most; next = waiting.pop()) ids.push(next.id)
    contenders.brought += ids.length
    await this.#bringAll(ids)
  }

  /** Brings captures into view, except those that already are. */
  async #bringAll(captureIds: readonly number[]): Promise<void> {
    const ids = captureIds.filter(id => !this.#inView.has(id))
    for (let from = 0; from < ids.length; from += MAX_BROUGHT) await this.#bringIds(ids.slice(from, from + MAX_BROUGHT))
  }

  /** Brings the captures into view that may be among the nearest to a vector. */
  async #bringNear(near: NearestCaptures): Promise<void> {
    const { untested, filter } = near
    if (untested.length > 0) {
      const query = { bool: { filter: [{ ids: { values: untested.map(String) } }, ...filter] } }
      const [answer] = await this.#search([
        { query, size: untested.length, track_total_hits: false, docvalue_fields: ['id'] },
      ])
      const fulfilling = answer!.hits.map(({ id }) => id)
      near.enter(untested, fulfilling)
    }
    await this.#bringIds(near.next())
    if (near.brought > MAX_NEAREST) throw uncertain(`more than ${MAX_NEAREST} pages may be among the nearest`)
  }

  async #bringIds(ids: readonly number[]): Promise<void> {
    const { part, pages, kept, until, instant } = this.#cluster
    for (const id of ids) this.#inView.add(id)
    pages.rewrites = undefined
    part.showKept(await kept.read(ids, pages, { until, instant }))
    const lost = ids.find(id => !part.has(id))
    if (lost !== undefined) throw uncertain(`the term index has capture ${lost}, and the database does not`)
    // If all captures were kept in memory, nothing was read from PostgreSQL.
    this.#isReadLast ||= pages.rewrites !== undefined
  }

  /** @throws ASOF_UNCERTAIN - the term index does not have all captures up to the instant. */
  #expectComplete(captures: number | undefined): void {
    if (captures === undefined) throw uncertain('a copy of the term index lags behind, or did not answer')
    const { acquired } = this.statistics
    if (captures !== acquired)
      throw uncertain(`the term index has ${captures} of ${acquired} captures up to the instant`, true)
  }
}
