import type { SignalPart } from '../../engine.ts'
import { rankingModel } from '../../segment/ranking-model.ts'
import { isFunctionWord } from '../../text/function-words.ts'
import { type ProProfile, type Signal, signals } from '../ranking-profiles.ts'
import type { Hit } from '../top-hits.ts'
import { candidateIdf, consensus, expansion, type GoodPages } from './agreement.ts'
import { type CandidateSource, CandidateTexts } from './candidate-texts.ts'
import { LetterGrams } from './letter-grams.ts'
import type { WeighedQuery } from './weighed-query.ts'
import { WordPositions } from './word-positions.ts'

export interface RescoreOptions {
  profile: ProProfile
  /** Fixed-point units that make 1 of a score; a power of two. */
  scale: number
  sourceOf: (hit: Hit) => CandidateSource
  /** The order of hits: negative when the first goes before. */
  compare: (a: Hit, b: Hit) => number
}

export interface Rescored {
  /** Best first. */
  hits: Hit[]
  /** What each signal added to the score of a hit. */
  partsOf: (hit: Hit) => SignalPart[]
}

type Evidence = Record<Signal, Float64Array>

/**
 * Looks again at the best hits of BM25F and orders them by a linear sum of evidence (CombSUM: Fox and Shaw, TREC-2 1994),
 * each signal in units of its standard deviation over these candidates. The sum is in the units of the BM25F score, and
 * what a signal adds is never below 0; so hits behind the candidates keep their score and their place behind them.
 *
 * Everything is a function of the candidates in their order, of their own text, and of the query's weights: neither
 * segments nor what was acquired after the cut can show in it.
 *
 * @param hits - in the order of BM25F; scores in units of 1.
 */
export function rescore(hits: readonly Hit[], query: WeighedQuery, options: RescoreOptions): Rescored {
  const { profile, scale } = options
  const candidates = hits.slice(0, profile.candidates)
  const spread = standardDeviation(candidates.map(({ score }) => score)) || 1
  const evidence = gather(
    candidates.map(options.sourceOf),
    query,
    candidates.map(({ score }) => score / spread),
    profile,
  )
  const deviations = Object.fromEntries(signals.map(signal => [signal, standardDeviation(evidence[signal])]))
  const parts = new Map<Hit, SignalPart[]>()
  const rescored = candidates.map((candidate, c) => {
    const own = signals.flatMap((signal): SignalPart[] => {
      const value = evidence[signal][c]
      const deviation = deviations[signal]
      if (deviation === 0 || value === 0) return []
      const weight = (profile.weights[signal] * spread) / deviation
      return [{ signal, weight, value, score: Math.round(weight * value * scale) / scale }]
    })
    const hit = { ...candidate, score: own.reduce((sum, { score }) => sum + score, candidate.score) }
    parts.set(hit, own)
    return hit
  })
  return {
    hits: [...rescored.sort(options.compare), ...hits.slice(profile.candidates)],
    partsOf: hit => parts.get(hit) ?? [],
  }
}

/** @param base - scores of BM25F in units of their standard deviation. */
function gather(
  sources: readonly CandidateSource[],
  query: WeighedQuery,
  base: readonly number[],
  profile: ProProfile,
): Evidence {
  const texts = new CandidateTexts(query.terms, sources)
  const { vectors } = texts
  const saturation = saturations(vectors.map(({ length }) => length))
  const evidence = Object.fromEntries(signals.map(signal => [signal, new Float64Array(sources.length)])) as Evidence
  const positions = new WordPositions(texts, query, { decay: profile.leadDecay, distance: profile.pairDistance })
  const grams = new LetterGrams(query)
  sources.forEach((source, c) => {
    const { lead, pairs, order } = positions.evidence(c, saturation[c])
    evidence.lead[c] = lead
    evidence.pairs[c] = pairs
    evidence.order[c] = order
    evidence.letters[c] = grams.evidence(source, saturation[c])
  })
  const good = goodPages(evidence, base, profile)
  const idf = candidateIdf(vectors, texts.terms)
  evidence.consensus = consensus(vectors, idf, good)
  const leave = (term: number): boolean => {
    const word = texts.term(term)
    return word.length < 2 || isFunctionWord(word)
  }
  evidence.expansion = expansion(vectors, idf, good, { terms: profile.expansionTerms, leave, saturation })
  return evidence
}

/** The best candidates by what is known of each alone. */
function goodPages(evidence: Evidence, base: readonly number[], profile: ProProfile): GoodPages {
  const sums = [...base]
  for (const signal of signals) {
    const deviation = standardDeviation(evidence[signal])
    if (deviation > 0)
      for (let c = 0; c < sums.length; c++) sums[c] += (profile.weights[signal] * evidence[signal][c]) / deviation
  }
  const pages = [...sums.keys()].sort((a, b) => sums[b] - sums[a] || a - b).slice(0, profile.consensusPages)
  return { pages, trust: pages.map(page => Math.exp(profile.consensusTrust * (sums[page] - sums[pages[0]]))) }
}

/** The frequency at which a term counts half, by length: that of BM25, the average being the candidates'. */
function saturations(lengths: readonly number[]): number[] {
  const { k1, b } = rankingModel
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  return lengths.map(length => k1 * (1 - b + (average > 0 ? (b * length) / average : 0)))
}

function standardDeviation(values: ArrayLike<number>): number {
  let mean = 0
  for (let i = 0; i < values.length; i++) mean += values[i]
  mean /= values.length
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i] - mean) ** 2
  return Math.sqrt(squares / values.length)
}
