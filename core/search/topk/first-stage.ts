import { bestCaptures } from '../../kernels/best-captures.ts'
import { compareHits, type Hit } from '../../kernels/top-hits.ts'
import { TopKKernel } from '../../kernels/topk-kernel.ts'
import type { OpenedQuery, TopKBoost, TopKQuery, WeightedList } from '../../kernels/topk-query.ts'
import { PostingCursors } from '../../postings/posting-cursor.ts'
import { rankingModel, saturationSlope } from '../../segment/ranking-model.ts'
import type { AnalyzedQuery } from '../analysis/analyze-query.ts'
import type { AnalyzedWebql } from '../analysis/analyze-webql.ts'
import type { Clause } from '../clauses/clause.ts'
import { openCondition } from '../clauses/open-condition.ts'
import { expandPattern, type PatternExpansion } from '../clauses/pattern-expansion.ts'
import { isRevisable } from '../clauses/revised-terms.ts'
import type { MatchesElsewhere, RankedQuery } from '../collection/collection.ts'
import type { IndexView } from '../collection/index-view.ts'
import type { ValueName, ValueOrder } from '../collection/value-order.ts'
import {
  anyForm,
  type Condition,
  conjunctsOf,
  filterOf,
  isAnyTermOf,
  oneTermOf,
  withFilters,
} from '../conditions/condition.ts'
import type { TermPattern } from '../conditions/term-pattern.ts'
import { alsoInTexts, shownTerm, textFieldOf, wordsInTexts } from '../fields/words-in-texts.ts'
import type { ScoringTerm } from '../query/scoring-terms.ts'
import type { ScorePart } from '../search-answer.ts'
import { type Boost, countsInPhrases, fieldBoost, patternBoost, phraseBoosts, SegmentBoosts } from './boosts.ts'
import { countUndated, UNDATED_LIMIT } from './count-undated.ts'
import { boostsBeside, type Either, eitherOf, firstOfEach } from './either.ts'
import { type FieldWord, fieldHeadroom, fieldWords } from './field-words.ts'
import { Matches } from './match-bits.ts'
import { openQuery } from './open-query.ts'
import type { HitOptions, Ranking } from './ranked-hits.ts'
import { FactorBoost, factorOf, mostFactor, multiplied } from './score-factors.ts'
import { scoreParts } from './score-parts.ts'
import { boundOf, type ScoredTerm, summedByTerm } from './scored-terms.ts'
import { mostSelective } from './selective-terms.ts'
import { type Placed, sortedHits } from './sorted-hits.ts'
import { termWeights } from './term-weights.ts'
import { TitleBoost, type WeighedTerm } from './title-weight.ts'

/**
 * Returns the condition of a plain query. Usually it does not say that a match contains a word of the query, because other captures have no
 * score. It says so if a match may have a phrase or a pattern instead, or the word in a field.
 */
function conditionOf(query: AnalyzedQuery, inFields: readonly FieldWord[]): Condition {
  const { terms, alternatives = [], patterns = [] } = query
  if (alternatives.length + inFields.length + patterns.length === 0) return filterOf(query)
  const { kind, parts } = anyForm(terms, alternatives)
  const ofFields: Condition[] = inFields.map(({ filter }) => ({ kind: 'fields', filter }))
  const ofPatterns = [...patterns.keys()].map((number): Condition => ({ kind: 'pattern', number }))
  return { kind: 'all', parts: [filterOf(query), { kind, parts: [...parts, ...ofFields, ...ofPatterns] }] }
}

/**
 * Returns a function: for a term, the number of captures that its weight is computed from. For an alternative, it is the number of the rarest
 * word that the alternative stands for.
 */
function weighingFrequencies(
  terms: readonly ScoringTerm[],
  frequencies: readonly number[],
): (term: ScoringTerm, number: number) => number {
  return ({ insteadOf }, number) => {
    const own = frequencies[number]!
    if (!insteadOf) return own
    const replaced = terms.flatMap(({ term }, t) => (insteadOf.includes(term) ? [frequencies[t]!] : []))
    return replaced.length > 0 ? Math.min(...replaced) : own
  }
}

/** What of a query is open on one segment. */
interface OpenedParts {
  cursors: PostingCursors
  /** Opens a condition, each once. */
  clauseOf: (part: Condition) => Clause
  /** Opens boosts, each array of them once. */
  boostBy: (boosts: readonly Boost[]) => TopKBoost | undefined
}

/**
 * The ranking of captures by BM25F, for plain queries and those in the full language. A pattern that scores does so like one
 * word that occurs once in a page of average length; its document frequency is the number of captures that contain any of its
 * terms. The weights of a query are those of its words, then those of the patterns that score.
 */
export class FirstStage<Query extends AnalyzedQuery | AnalyzedWebql> {
  readonly ranking: Ranking<Query>
  readonly #index: IndexView
  readonly #options: HitOptions
  readonly #boosts: Boost[]
  /** For each pattern its expansion in each view. */
  readonly #expansions: PatternExpansion[][]
  readonly #rest: readonly Condition[]
  /** Terms that score and that each match contains. */
  readonly #required = new Set<string>()
  readonly #onlyScored: boolean
  /** The terms that score, each once: those of the query, then its words in text fields. */
  readonly #scored: readonly ScoredTerm[]
  /** The query on each segment. Opened when it is first needed. */
  #opened: readonly OpenedQuery[] | undefined
  /** A condition that is fulfilled by words or by one of several phrases. The query is then several searches, see {@link #bestOfEither}. Undefined if it has no such condition. */
  readonly #either: Either | undefined
  readonly #patterns: readonly TermPattern[]
  /** All conditions of the query, those that {@link #rest} leaves out included. */
  readonly #conditions: readonly Condition[]
  #matches: Matches | undefined

  /** @throws ASOF_INVALID_QUERY - a pattern matches too many words. */
  constructor(index: IndexView, asked: Query, options: HitOptions) {
    const { views, collection } = index
    const { statistics } = collection
    const { buffers } = options
    buffers.reuse()
    const query = mostSelective(asked, index)
    const { terms } = query
    const lists = terms.map(({ term }) => views.map(({ segment }) => segment.term(term)))
    const ofTexts = collection.textFields()
    const inFields = 'condition' in query ? [] : fieldWords(index, terms, options, ofTexts)
    const inFieldTexts = wordsInTexts(index, ofTexts, terms, options.fieldWeights ?? {})
    const { condition: asWritten, patterns } =
      'condition' in query ? query : { condition: conditionOf(query, inFields), patterns: query.patterns ?? [] }
    const condition = alsoInTexts(asWritten, ofTexts)
    collection.expectFewTerms(patterns)
    this.#expansions = patterns.map(pattern => expandPattern(views, pattern))
    const scoring = patterns.flatMap(({ scores }, number) => (scores ? [number] : []))
    const inTexts = lists.map((perView, t) => collection.frequencyOf(terms[t]!.term, perView))
    const elsewhere = [...inFields, ...inFieldTexts]
    const frequencies =
      elsewhere.length === 0
        ? inTexts
        : inTexts.map((own, t) =>
            elsewhere.reduce((most, { number, captures }) => (number === t ? Math.max(most, captures) : most), own),
          )
    const frequencyOf = weighingFrequencies(terms, frequencies)
    const phrases = [...(('favored' in query && query.favored) || []), ...(query.alternatives ?? [])]
    const { weights, scale } = termWeights(
      [
        ...terms.map(({ term, count }) => count * (options.fieldWeights?.[textFieldOf(term, ofTexts) ?? ''] || 1)),
        ...scoring.map(number => patterns[number]!.weight ?? 1),
        ...inFieldTexts.map(({ count }) => count),
      ],
      [
        ...terms.map(frequencyOf),
        ...scoring.map(number => collection.capturesWith(patterns[number]!, () => this.#frequencyOf(number))),
        ...inFieldTexts.map(frequencyOf),
      ],
      statistics.captures,
      ((options.titleWeight === undefined ? 1 : 2) + fieldHeadroom(options)) * mostFactor(options.factors ?? []),
      countsInPhrases(phrases, terms),
    )
    this.#index = index
    this.#options = options
    this.#boosts = phraseBoosts(phrases, terms, weights)
    for (const { field, number, filter, factor } of inFields)
      this.#boosts.push(fieldBoost(field, terms[number]!.term, filter, factor * weights[number]!))
    for (const [s, number] of scoring.entries())
      this.#boosts.push(patternBoost(patterns[number]!, number, weights[terms.length + s]!))
    options.onStatistics?.()
    const parts = conjunctsOf(withFilters(condition, options))
    // No test is needed that a capture contains a word that scores: without one, its score is 0.
    const scored = new Set([...terms, ...inFieldTexts].map(({ term }) => term))
    this.#rest = parts.filter(part => {
      const term = oneTermOf(part)
      if (term === undefined || !scored.has(term) || isRevisable(term)) return !isAnyTermOf(part, scored)
      this.#required.add(term)
      return false
    })
    this.#either = eitherOf(this.#rest, scored)
    this.#onlyScored =
      !('condition' in query || query.alternatives || query.patterns || inFields.length > 0) ||
      this.#rest.length < parts.length
    const behind = terms.length + scoring.length
    const scoredTerm = (term: string, perView: ScoredTerm['perView'], weight: number): ScoredTerm => ({
      term,
      shown: shownTerm(term, ofTexts),
      perView,
      weight,
    })
    const ofQuery = terms.map(({ term }, t) => scoredTerm(term, lists[t]!, weights[t]!))
    this.#scored =
      inFieldTexts.length === 0
        ? ofQuery
        : summedByTerm([
            ...ofQuery,
            ...inFieldTexts.map(({ term, perView }, t) => scoredTerm(term, perView, weights[behind + t]!)),
          ])
    this.ranking = {
      query,
      weights: Array.from(weights.subarray(0, terms.length + scoring.length), weight => weight / scale),
      scale,
      scoreBound: boundOf(this.#scored, this.#boosts, options.factors) / scale,
      frequencies,
      statistics,
      segments: views.length,
    }
    this.#patterns = patterns
    this.#conditions = parts
  }

  /**
   * Returns what the query asks for. By it, the captures outside the view are found. It is a method, because a function made by the constructor
   * would keep all that the constructor knows: V8 then moved the garbage of each search to its old space.
   */
  #ranked(): RankedQuery {
    const { titleWeight, factors, published } = this.#options
    return {
      terms: this.#scored.map(({ term, weight }) => ({ term, weight })),
      boosts: this.#boosts.map(({ forms, score }) => ({ condition: { kind: 'any', parts: forms }, score })),
      slope: saturationSlope(this.ranking.statistics.averageLength),
      titleGrowth: Math.max(1, (titleWeight ?? 0) / rankingModel.titleWeight),
      factor: mostFactor(factors ?? []),
      patterns: this.#patterns,
      conditions: this.#conditions,
      onlyScored: this.#onlyScored,
      published,
    }
  }

  get #queries(): readonly OpenedQuery[] {
    this.#opened ??= this.#openQuery()
    return this.#opened
  }

  /**
   * Opens the query on each segment in which a capture may match.
   *
   * @param rest - the conditions. @param onlyScored - true if each match has a word that scores.
   * @param parts - what is open on each segment. Searches that run one after another may share it.
   * @param boosts - those that raise scores.
   */
  #openQuery(
    rest = this.#rest,
    onlyScored = this.#onlyScored,
    parts: OpenedParts[] = [],
    boosts: readonly Boost[] = this.#boosts,
  ): OpenedQuery[] {
    const { published, limit } = this.#options
    const { views } = this.#index
    const opened: OpenedQuery[] = []
    for (let v = 0; v < views.length && limit > 0; v++) {
      const lists = this.#listsIn(v)
      if (!lists) continue
      const shared = parts[v] ?? this.#openParts(v)
      parts[v] = shared
      const { cursors, clauseOf } = shared
      const boost = shared.boostBy(boosts)
      const clauses = rest.map(clauseOf)
      const view = openQuery(views[v]!, { lists, clauses, cursors, published, boost, onlyScored })
      if (view.from < view.to) opened.push(view)
    }
    return opened
  }

  /** The lists of the terms that score in a view. Undefined if the view lacks a required one. */
  #listsIn(v: number): WeightedList[] | undefined {
    const lists: WeightedList[] = []
    for (const { term, perView, weight } of this.#scored) {
      const found = perView[v]
      const required = this.#required.has(term)
      if (found) lists.push({ list: found.list, weight, required })
      else if (required) return undefined
    }
    return lists
  }

  #openParts(v: number): OpenedParts {
    const { buffers, titleWeight, factors = [] } = this.#options
    const { segment } = this.#index.views[v]!
    const { averageLength } = this.#index.collection.statistics
    const cursors = new PostingCursors(buffers)
    const clauses = new Map<Condition, Clause>()
    const clauseOf = (part: Condition): Clause => {
      const clause = clauses.get(part) ?? this.#open(part, v, cursors)
      clauses.set(part, clause)
      return clause
    }
    const weighed: WeighedTerm[] = []
    if (titleWeight !== undefined || factors.length > 0)
      for (const { perView, weight } of this.#scored) {
        const found = perView[v]
        if (found) weighed.push({ term: found, weight, cursor: cursors.of(found.list) })
      }
    const title = titleWeight === undefined ? undefined : new TitleBoost(segment, weighed, averageLength, titleWeight)
    const open = (boosts: readonly Boost[]): TopKBoost | undefined => {
      const opened = (boosts.length > 0 || title) && new SegmentBoosts(boosts, clauseOf, title)
      const added = opened && !opened.isEmpty ? opened : undefined
      if (factors.length === 0) return added
      const filters = factors.map(({ filter, factor }) => ({ clause: clauseOf({ kind: 'fields', filter }), factor }))
      const source = { segment, terms: weighed, averageLength, filters, most: mostFactor(factors) }
      return new FactorBoost(source, added)
    }
    const opened = new Map<readonly Boost[], TopKBoost | undefined>()
    const boostBy = (boosts: readonly Boost[]): TopKBoost | undefined => {
      if (!opened.has(boosts)) opened.set(boosts, open(boosts))
      return opened.get(boosts)
    }
    return { cursors, clauseOf, boostBy }
  }

  /**
   * Returns all matches. If an order by value has not read them, the query is opened again, because another search may have
   * used the buffers of its cursors since.
   *
   * @param values - what the matches will be counted by.
   */
  matches(values: readonly ValueName[]): Matches {
    const elsewhere = this.#elsewhere(values)
    if (!this.#matches || elsewhere) {
      this.#options.buffers.reuse()
      this.#matches = new Matches(this.#openQuery(), elsewhere)
    }
    return this.#matches
  }

  /** Returns the matches outside the captures in view. Undefined if all captures of the index are in view, or if the limit is 0. */
  #elsewhere(values: readonly ValueName[], query: Partial<RankedQuery> = {}): MatchesElsewhere | undefined {
    if (this.#options.limit === 0) return undefined
    return this.#index.collection.matches(() => ({ ...this.#ranked(), ...query }), values)
  }

  /** The first k matches in an order by value. */
  inOrder(order: ValueOrder, k: number): Placed[] {
    if (k === 0) return []
    this.#index.collection.expectFirst(() => this.#ranked(), order, k)
    this.#matches ??= new Matches(this.#queries)
    return sortedHits(this.#matches, order, k, this.#options.urlOf)
  }

  /** The k best hits; scores in units of 1. */
  best(k: number): Hit[] {
    const { scale } = this.ranking
    const hits = this.#either ? this.#bestOfEither(k, this.#either) : bestCaptures(this.#queryFor(k, this.#queries))
    if (k > 0) this.#expectBest(hits, k)
    for (const hit of hits) hit.score /= scale
    return hits
  }

  /**
   * Finds the best captures with a word that scores, and those with each phrase, by searches of their own. For these the kernel reads only
   * posting lists. For the disjunction it would have to ask about each capture.
   *
   * The search for words leaves out the boosts by these phrases, so it finds captures that have a phrase with a score that is too low, or not
   * at all. Those among the best are found again by the search for their phrase, with their score.
   */
  #bestOfEither(k: number, { condition, phrases }: Either): Hit[] {
    const { urlOf } = this.#options
    const rest = this.#rest.filter(part => part !== condition)
    const parts: OpenedParts[] = []
    const words = this.#openQuery(rest, true, parts, boostsBeside(phrases, this.#boosts))
    let hits = bestCaptures(this.#queryFor(k, words))
    for (const phrase of phrases) {
      const views = this.#openQuery([...rest, phrase], false, parts)
      const others = bestCaptures({ ...this.#queryFor(k, views), floor: hits[k - 1]?.score })
      if (others.length === 0) continue
      hits = firstOfEach([...hits, ...others].sort((a, b) => compareHits(a, b, urlOf))).slice(0, k)
    }
    return hits
  }

  /** Throws if a capture outside the view may be better than the hits. @param hits - the k best in view, scores in fixed-point units. */
  #expectBest(hits: readonly Hit[], k: number): void {
    const { collection } = this.#index
    if (this.ranking.query.terms.length + this.#boosts.length === 0) {
      // All scores are 0, so the newest captures are the best.
      collection.expectFirst(() => this.#ranked(), { name: { date: 'acquiredAt' }, isDescending: true }, k)
      return
    }
    const last = hits[k - 1]
    const acquiredAt = last?.segment.columns.acquiredAt[last.ordinal]
    collection.expectBest(() => this.#ranked(), k, last && { score: last.score, acquiredAt: acquiredAt! })
  }

  #queryFor(k: number, views: readonly OpenedQuery[]): TopKQuery {
    return { k, views, averageLength: this.ranking.statistics.averageLength, urlOf: this.#options.urlOf }
  }

  /**
   * Returns the number of captures without a publish date that would match if the query had no window of publish dates, counted up to
   * {@link UNDATED_LIMIT}.
   */
  undated(): number {
    if (!this.#options.published) return 0
    const elsewhere = this.#elsewhere([], { published: 'none' })
    if (elsewhere) {
      const inView = this.#queries.map(view => countUndated(view, UNDATED_LIMIT, id => elsewhere.leavesOut(id)))
      return Math.min(
        UNDATED_LIMIT,
        inView.reduce((sum, count) => sum + count, elsewhere.count()),
      )
    }
    const views = this.#queries.filter(({ segment }) => segment.hasUndated)
    const arena = views[0]?.segment.arena
    const counted = arena && TopKKernel.over(arena)?.countUndated(this.#queryFor(0, views), UNDATED_LIMIT)
    if (counted !== undefined) return counted
    let count = 0
    for (const view of views) if (count < UNDATED_LIMIT) count += countUndated(view, UNDATED_LIMIT - count)
    return count
  }

  /** Explains the score of a hit. The parts add up to the score exactly. */
  partsOf(hit: Hit): ScorePart[] {
    const { scale, statistics } = this.ranking
    const { buffers, titleWeight, factors = [] } = this.#options
    const weights = this.#scored.map(({ weight }) => weight / scale)
    const parts: ScorePart[] = scoreParts(hit, this.#scored, { weights, scale, statistics }, { buffers, titleWeight })
    const v = this.#index.views.findIndex(({ segment }) => segment === hit.segment)
    for (const { term, forms, weight, score } of this.#boosts) {
      const cursors = new PostingCursors(buffers)
      if (!forms.some(form => this.#open(form, v, cursors).matches(hit.ordinal))) continue
      parts.push({ term, weight: weight / scale, frequency: 1, length: statistics.averageLength, score: score / scale })
    }
    const factor = factorOf(
      factors.map(({ filter, factor }) => ({
        clause: this.#open({ kind: 'fields', filter }, v, new PostingCursors(buffers)),
        factor,
      })),
      hit.ordinal,
    )
    if (factor === 1) return parts
    const value = parts.reduce((sum, { score }) => sum + score, 0)
    const score = multiplied(value * scale, factor) / scale - value
    return [...parts, { signal: 'boost', weight: factor - 1, value, score }]
  }

  /** @param v - number of the view. */
  #open(condition: Condition, v: number, cursors: PostingCursors): Clause {
    const { views, instant } = this.#index
    const expansions = this.#expansions.map(perView => perView[v]!)
    const { urlOf } = this.#options
    return openCondition(condition, { segment: views[v]!.segment, instant, cursors, expansions, urlOf })
  }

  /** Number of captures that stood at the instant and contain a term of a pattern. */
  #frequencyOf(number: number): number {
    return this.#expansions[number]!.reduce((sum, expansion) => sum + expansion.standing(), 0)
  }
}
