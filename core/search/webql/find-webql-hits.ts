import type { ScorePart, TermPart } from '../../engine.ts'
import { contribution } from '../../kernels/contribution.ts'
import { scoreWindows } from '../../kernels/score-windows.ts'
import { type Hit, TopHits } from '../../kernels/top-hits.ts'
import type { PostingList } from '../../segment/postings/posting-list.ts'
import { hostTerm } from '../../text/terms/host-term.ts'
import { fieldBits } from '../fields/field-bits.ts'
import { UNDATED_LIMIT } from '../filter/count-undated.ts'
import { PostingCursors } from '../postings/posting-cursor.ts'
import { frequencyIn, type IndexView, type SegmentView } from '../postings/segment-view.ts'
import { type HitOptions, type RankedHits, realtimeProfile } from '../topk/ranked-hits.ts'
import { scoreParts } from '../topk/score-parts.ts'
import { mostSelective } from '../topk/selective-terms.ts'
import { termWeights } from '../topk/term-weights.ts'
import type { AnalyzedWebql, Condition } from './analyze-webql.ts'
import { allOf, BitsClause } from './clause.ts'
import { openClause } from './open-clause.ts'
import { checkNumberOfTerms, PatternExpansion } from './pattern-expansion.ts'
import { WebqlScorer } from './webql-scorer.ts'

/** The hits of a query in the full language. */
export interface FoundWebql extends RankedHits {
  /** The query with only the terms that scored: see {@link mostSelective}. */
  query: AnalyzedWebql
}

/**
 * Finds the best captures for a query in the full language as of an instant. Its words score like those of a plain query. A
 * pattern scores like one word that occurs once in a page of average length; its document frequency is the number of
 * captures that contain any of its terms. `weights` are those of the words, then those of the patterns that score.
 *
 * @throws ASOF_INVALID_QUERY - a pattern matches too many words.
 */
export function findWebqlHits(index: IndexView, asked: AnalyzedWebql, options: HitOptions): FoundWebql {
  const { limit, published, scratch } = options
  const { instant, views, statistics } = index
  scratch.blocks.reuse()
  const query = mostSelective(asked, index)
  const lists = query.terms.map(({ term }) => views.map(({ segment }) => segment.term(term)))
  const patterns = query.patterns.map(pattern => {
    const expansions = views.map(view => new PatternExpansion(view, pattern))
    checkNumberOfTerms(views, pattern, expansions)
    return { pattern, expansions }
  })
  const scoring = patterns.filter(({ pattern }) => pattern.scores)
  const frequencies = lists.map(perView => frequencyIn(views, perView))
  const { weights, scale } = termWeights(
    [...query.terms.map(({ count }) => count), ...scoring.map(() => 1)],
    [...frequencies, ...scoring.map(({ expansions }) => patternFrequency(views, expansions))],
    statistics.captures,
  )
  const scored = scoring.map(({ pattern, expansions }, s) => {
    const weight = weights[query.terms.length + s]!
    return { pattern, expansions, weight, score: patternScore(weight) }
  })
  const ranking = {
    query,
    weights: Array.from(weights, weight => weight / scale),
    scale,
    frequencies,
    statistics,
    segments: views.length,
    profile: realtimeProfile,
  }
  const partsOf = (hit: Hit): ScorePart[] => {
    const v = views.findIndex(({ segment }) => segment === hit.segment)
    const parts: TermPart[] = scoreParts(hit, query.terms, ranking, scratch.blocks)
    for (const { pattern, expansions, weight, score } of scored)
      if (expansions[v]?.has(hit.ordinal))
        parts.push({
          term: pattern.text,
          weight: weight / scale,
          frequency: 1,
          length: statistics.averageLength,
          score: score / scale,
        })
    return parts
  }
  options.onStatistics?.()
  if (limit === 0) return { ...ranking, hits: [], undated: 0, partsOf }
  const top = new TopHits(limit, options.urlOf)
  const condition = withSites(query.condition, options.sites)
  const scorerOf = (view: SegmentView, v: number): WebqlScorer => {
    const { segment } = view
    const cursors = new PostingCursors(scratch.blocks)
    const terms: { list: PostingList; weight: number }[] = []
    lists.forEach((perView, t) => {
      const found = perView[v]
      if (found) terms.push({ list: found.list, weight: weights[t]! })
    })
    const clause = openClause(condition, {
      segment,
      instant,
      cursors,
      expansions: patterns.map(({ expansions }) => expansions[v]!),
    })
    const { filter } = options
    return new WebqlScorer({
      view,
      clause: filter ? allOf([new BitsClause(fieldBits(segment, filter, instant)), clause]) : clause,
      terms,
      patterns: scored.map(({ expansions, score }) => ({ expansion: expansions[v]!, score })),
      averageLength: statistics.averageLength,
      instant,
      published,
      cursors,
      top,
      scores: scratch.window,
    })
  }
  const scorers = views.map(scorerOf)
  let undated = 0
  if (published)
    for (const scorer of scorers) if (undated < UNDATED_LIMIT) undated += scorer.countUndated(UNDATED_LIMIT - undated)
  scoreWindows(scorers, top, scratch.window)
  const hits = top.ranked().map(hit => ({ ...hit, score: hit.score / scale }))
  return { ...ranking, hits, undated, partsOf }
}

/** Number of captures of all views that contain a term of a pattern. */
function patternFrequency(views: readonly SegmentView[], expansions: readonly PatternExpansion[]): number {
  return expansions.reduce((sum, expansion, v) => sum + expansion.countBelow(views[v]!.ordinalEnd), 0)
}

/** The contribution of one occurrence in a capture of average length. */
function patternScore(weight: number): number {
  return contribution(weight, 1, 1, 1)
}

function withSites(condition: Condition, sites: readonly string[]): Condition {
  if (sites.length === 0) return condition
  const onSites = sites.map((site): Condition => {
    return { kind: 'phrase', phrase: [{ term: hostTerm(site), offset: 0 }], title: false }
  })
  return { kind: 'all', parts: [...onSites, condition] }
}
