import type { SearchAnswer } from '@asof/core'
import { AsofError } from '@asof/core'
import {
  type CandidateQuery,
  contribution,
  loadPages,
  type PartialIndex,
  type ResolvedSearch,
  type WholeIndex,
} from '@asof/core/internal'
import { necessaryQuery } from './condition-query.ts'
import type { StoredPages } from './database.ts'
import { grownByTitle, grownFrequency, grownScore } from './score-growth.ts'
import { hasNearTerm, hasTerm, INDEXED_SLOPE, isCurrent, type TermIndex, type TermQuery } from './term-index.ts'

type Statistics = WholeIndex['statistics']
type FieldType = NonNullable<ReturnType<WholeIndex['fieldType']>>

/** What one search sees of a cluster. */
export interface ViewedCluster {
  /** The pages in memory. More are brought as candidates. */
  part: PartialIndex
  pages: StoredPages
  terms: TermIndex
  /** Epoch ms. */
  instant: number
  statistics: Statistics
  /** The relevance as of the instant. Undefined if none was set by then. */
  relevance?: WholeIndex['relevance']
  /** Reads the types of the fields that a page had up to the instant. */
  readFields: () => Promise<ReadonlyMap<string, FieldType>>
}

/** Number of candidates that a proof begins with, for each result that is asked for, and at least. */
const CANDIDATES_PER_RESULT = 4
const LEAST_CANDIDATES = 50
/** A proof that failed is tried again with this many times as many candidates, up to the most. */
const WIDENING = 4
const MOST_CANDIDATES = 5_000
/** Number of times that an answer is begun again because something was not known. Corrections and splits of words need the most. */
const MOST_ROUNDS = 60
/** More than the relative error of a score of Lucene, which is a sum of 32-bit floating point numbers. */
const FLOAT_ERROR = 1e-4

/** Most matches that are all brought into view to be counted or ordered by value. */
const MOST_COUNTED = 1_000
/** Most pages that are brought into view at a time. */
const MOST_BROUGHT = 400

/** Thrown to begin an answer again when what it lacks is known. */
class Unknown extends Error {}

/** The candidates for one query. */
interface Candidates {
  query: CandidateQuery
  /** Number of candidates that OpenSearch was asked for. */
  asked: number
  /** The most that a capture can score that OpenSearch did not name, in fixed-point units. */
  boundOfOthers: number
  /** The candidates that are not in view, with the most that each can score: the highest last. */
  waiting: { id: number; most: number }[]
  /** Number of candidates that were brought into view. */
  brought: number
  /** The number of results that are wanted, and the score of the last that is in view; 0 if there are fewer. */
  wanted: { k: number; last: number }
  /** True if all matches are counted, not only the best found. */
  isCounted: boolean
}

/**
 * What a search of a few pages in memory knows of the whole cluster as of an instant. The search is that of one machine and cannot wait.
 * If it asks for a number that is not known yet, the number is noted. All numbers that were noted are then read from the cluster, and the
 * search begins again. An answer is given only after a search that noted nothing.
 */
export class WholeView implements WholeIndex {
  readonly statistics: Statistics
  readonly relevance: WholeIndex['relevance']
  /** Number of times that candidates were searched for. */
  searches = 0
  readonly #cluster: ViewedCluster
  readonly #counts = new Map<string, number>()
  readonly #wantedCounts = new Map<string, TermQuery>()
  readonly #candidates = new Map<string, Candidates>()
  readonly #wantedCandidates = new Set<Candidates>()
  /** The numbers of the captures in view. */
  readonly #brought = new Set<number>()
  #acquired: TermQuery = { match_all: {} }
  #fields: ReadonlyMap<string, FieldType> | undefined
  #wantsFields = false
  /** The URLs whose pages are in view, if there are any, and those whose pages are wanted. */
  readonly #lookedUp = new Set<string>()
  readonly #wantedUrls = new Set<string>()

  constructor(cluster: ViewedCluster) {
    this.#cluster = cluster
    this.statistics = cluster.statistics
    this.relevance = cluster.relevance
  }

  /** @throws ASOF_UNCERTAIN, ASOF_UNSUPPORTED */
  async answer(request: ResolvedSearch): Promise<SearchAnswer> {
    const { part, instant } = this.#cluster
    const { from, to } = request.times.acquired
    this.#acquired = { range: { acquiredAt: { gte: Math.max(from, -9e15), lte: Math.min(to, 9e15) } } }
    for (let round = 0; round < MOST_ROUNDS; round++) {
      try {
        const answer = part.answer(request, instant, this)
        if (this.#wantedCounts.size === 0) return answer
      } catch (error) {
        if (!(error instanceof Unknown)) throw error
      }
      await this.#findOut()
    }
    throw uncertain('the query depends on too many words that no page has')
  }

  hasCurrentPage(): boolean {
    return this.#count('current', isCurrent(this.#cluster.instant)) > 0
  }

  frequencyOf(term: string): number {
    return this.#count(`term ${term}`, hasTerm(term))
  }

  nearTerms(term: string, edits: number): [] {
    if (this.#count(`near ${edits} ${term}`, hasNearTerm(term, edits)) === 0) return []
    throw unsupported(
      'spelling',
      `no page has the word ${term}, and a cluster does not correct spelling: put the word in quotes`,
    )
  }

  expectBest(query: CandidateQuery, k: number, scores: readonly number[]): void {
    // The weights are not those of the query yet.
    if (this.#wantedCounts.size > 0) throw new Unknown()
    if (query.onlyScored && query.terms.every(({ term }) => this.frequencyOf(term) === 0)) return
    const candidates = this.#candidatesFor(query)
    const last = scores.length < k ? 0 : scores[k - 1]!
    if (last > mostOutOfView(candidates)) return
    candidates.wanted = { k, last }
    this.#wantedCandidates.add(candidates)
    throw new Unknown()
  }

  fieldType(name: string): FieldType | undefined {
    return this.#knownFields.get(name)
  }

  fieldNames(): string[] {
    return [...this.#knownFields.keys()].sort()
  }

  get #knownFields(): ReadonlyMap<string, FieldType> {
    if (this.#fields) return this.#fields
    this.#wantsFields = true
    throw new Unknown()
  }

  expectAll(query: CandidateQuery): void {
    // As in expectBest.
    if (this.#wantedCounts.size > 0) throw new Unknown()
    if (query.onlyScored && query.terms.every(({ term }) => this.frequencyOf(term) === 0)) return
    const candidates = this.#candidatesFor(query)
    if (candidates.boundOfOthers < 0 && candidates.waiting.length === 0) return
    candidates.wanted = { k: MOST_COUNTED + 1, last: 0 }
    candidates.isCounted = true
    this.#wantedCandidates.add(candidates)
    throw new Unknown()
  }

  expectPages(urls: readonly string[]): void {
    for (const url of urls) if (!this.#lookedUp.has(url)) this.#wantedUrls.add(url)
    if (this.#wantedUrls.size > 0) throw new Unknown()
  }

  refuse(what: string): never {
    throw unsupported(what, `a cluster has no ${what} in queries`)
  }

  #candidatesFor(query: CandidateQuery): Candidates {
    const name = JSON.stringify(query)
    let candidates = this.#candidates.get(name)
    if (!candidates) {
      candidates = {
        query,
        asked: 0,
        boundOfOthers: Number.POSITIVE_INFINITY,
        waiting: [],
        brought: 0,
        wanted: { k: 0, last: 0 },
        isCounted: false,
      }
      this.#candidates.set(name, candidates)
    }
    return candidates
  }

  #count(name: string, query: TermQuery): number {
    const known = this.#counts.get(name)
    if (known === undefined) this.#wantedCounts.set(name, query)
    return known ?? 0
  }

  async #findOut(): Promise<void> {
    const { terms, instant, readFields, part, pages } = this.#cluster
    if (this.#wantsFields) this.#fields = await readFields()
    this.#wantsFields = false
    await loadPages(part, this.#wantedUrls, pages)
    for (const url of this.#wantedUrls) this.#lookedUp.add(url)
    this.#wantedUrls.clear()
    if (this.#wantedCounts.size > 0) {
      const names = [...this.#wantedCounts.keys()]
      const counts = await terms.counts(instant, [...this.#wantedCounts.values()])
      this.#expectComplete(counts?.[0])
      for (const [i, name] of names.entries()) this.#counts.set(name, counts![i + 1]!)
      this.#wantedCounts.clear()
    }
    for (const candidates of this.#wantedCandidates) {
      if (mostWaiting(candidates) < candidates.wanted.last || candidates.waiting.length === 0)
        await this.#widen(candidates)
      await this.#bring(candidates)
    }
    this.#wantedCandidates.clear()
  }

  /** Reads the best candidates of a query from OpenSearch. Each further call for the same query reads more of them. */
  async #widen(candidates: Candidates): Promise<void> {
    const { terms, instant } = this.#cluster
    const { query, asked, wanted } = candidates
    if (candidates.isCounted && asked > MOST_COUNTED)
      throw unsupported(
        'counts',
        `more than ${MOST_COUNTED} pages may match, and a cluster counts no more: narrow the query, or leave out what needs all matches`,
      )
    if (asked >= MOST_CANDIDATES) throw uncertain(`more than ${MOST_CANDIDATES} pages may be among the best`)
    const size = Math.min(
      MOST_CANDIDATES,
      Math.max(LEAST_CANDIDATES, candidates.isCounted ? wanted.k : CANDIDATES_PER_RESULT * wanted.k, asked * WIDENING),
    )
    const present = query.terms.filter(({ term }) => this.frequencyOf(term) > 0)
    const unit = Math.max(1, ...present.map(({ weight }) => weight))
    const boosts = present.map(({ weight }) => Math.fround(weight / unit))
    const filter = query.conditions.map(necessaryQuery).filter(one => one !== undefined)
    this.searches++
    const best = await terms.best(instant, {
      terms: present.map(({ term }, t) => ({ term, boost: boosts[t]! })),
      filter: [this.#acquired, ...filter],
      atLeastOne: query.onlyScored,
      size,
    })
    this.#expectComplete(best?.captures)
    const { found } = best!
    candidates.asked = size
    candidates.boundOfOthers = found.length < size ? -1 : boundOf((found.at(-1)?.score ?? 0) * unit, present, query)
    candidates.waiting = found
      .filter(({ id }) => !this.#brought.has(id))
      .map(({ id, length, byTerm }) => {
        const most = byTerm.reduce((sum, { term, score }) => {
          const frequency = grownFrequency(mostFrequency(score / boosts[term]!, length), query)
          return sum + contribution(present[term]!.weight, frequency, query.slope, length)
        }, 0)
        return { id, most: grownScore(most, query) }
      })
      .sort((a, b) => a.most - b.most)
  }

  /**
   * Brings the best candidates into view: if there are enough results, those that may be better than the last; else as many as results
   * are wanted, and then twice as many each time, because conditions that OpenSearch does not know may leave most of them out.
   */
  async #bring(candidates: Candidates): Promise<void> {
    const { part, pages } = this.#cluster
    const { waiting, wanted, brought } = candidates
    const most = wanted.last > 0 ? MOST_BROUGHT : Math.min(MOST_BROUGHT, Math.max(wanted.k, brought))
    const ids: number[] = []
    for (let next = waiting.at(-1); next && next.most >= wanted.last && ids.length < most; next = waiting.at(-1)) {
      ids.push(next.id)
      this.#brought.add(next.id)
      waiting.pop()
    }
    candidates.brought += ids.length
    const urls = await pages.urlsOf(ids)
    await loadPages(part, urls, pages, { captureIds: new Set(ids), followsAliases: false })
    const lost = ids.find(id => !part.has(id))
    if (lost !== undefined) throw uncertain(`the term index has capture ${lost}, and the database does not`)
  }

  /** @throws ASOF_UNCERTAIN - the term index does not have all captures up to the instant. */
  #expectComplete(captures: number | undefined): void {
    if (captures === undefined) throw uncertain('a shard of the term index did not answer')
    if (captures !== this.statistics.captures)
      throw uncertain(`the term index has ${captures} of ${this.statistics.captures} captures up to the instant`)
  }
}

/** The most that a candidate can score that is not in view. */
function mostWaiting({ waiting }: Candidates): number {
  return waiting.at(-1)?.most ?? -1
}

/** The most that any capture can score that is not in view. */
function mostOutOfView(candidates: Candidates): number {
  return Math.max(candidates.boundOfOthers, mostWaiting(candidates))
}

/**
 * The most that a capture can score if the term index gives it a score of at most `indexed`. The contribution of a term is
 * `weight · f / (f + 1 + slope · length)` here and there, with another slope, and there with a length that is rounded down; a page
 * without words has a length of 1 there. Here each contribution is rounded up to the next unit.
 */
function boundOf(indexed: number, terms: CandidateQuery['terms'], query: CandidateQuery): number {
  const ratio = Math.max(1, INDEXED_SLOPE / query.slope) * (1 + INDEXED_SLOPE)
  const weights = terms.reduce((sum, { weight }) => sum + weight, 0)
  return grownScore(grownByTitle(indexed * ratio * (1 + FLOAT_ERROR), weights, query) + terms.length + 1, query)
}

/**
 * The highest frequency that a term can have in a capture if the term index gives it a score of `saturated`, without its boost: there
 * it is `f / (f + 1 + slope · length)`, with a length of at most that of the capture, but at least 1.
 */
function mostFrequency(saturated: number, length: number): number {
  const raised = saturated * (1 + FLOAT_ERROR)
  if (raised >= 1) return Number.MAX_SAFE_INTEGER
  return Math.floor((raised * (1 + INDEXED_SLOPE * Math.max(1, length))) / (1 - raised))
}

export function uncertain(reason: string): AsofError {
  return new AsofError('ASOF_UNCERTAIN', `the answer could not be proved exact: ${reason}; try again`)
}

/** @param what - for programs. @param message - what is refused, and what to do. */
export function unsupported(what: string, message: string): AsofError {
  return new AsofError('ASOF_UNSUPPORTED', message, { details: { what } })
}
