import type { SignalPart } from '../../engine.ts'
import { SATURATION_BASE, saturationSlope } from '../../segment/ranking-model.ts'
import { type ProProfile, type Signal, signals } from '../ranking-profiles.ts'
import type { Hit } from '../top-hits.ts'
import { candidateIdf, consensus, expansion, type GoodPages } from './agreement.ts'
import type { CandidateReader } from './candidate-reader.ts'
import { CandidateVectors } from './candidate-vectors.ts'
import { EarlyTerms } from './early-terms.ts'
import { LetterGrams } from './letter-grams.ts'
import type { WeighedQuery } from './weighed-query.ts'
import { WordPositions } from './word-positions.ts'

export interface RescoreOptions {
  profile: ProProfile
  /** Fixed-point units that make 1 of a score; a power of two. */
  scale: number
  /** Mean weighted length of a capture as of the instant. */
  averageLength: number
  read: CandidateReader
  /** The order of hits: negative when the first goes before. */
  compare: (a: Hit, b: Hit) => number
}

export interface Rescored {
  /** Best first. */
  hits: Hit[]
  /** What each signal added to the score of a hit. */
  partsOf: (hit: Hit) => SignalPart[]
}

type Evidence = { [S in Signal]?: Float64Array }

/** A hit in the making. */
interface Candidate {
  hit: Hit
  captureId: number
  parts: SignalPart[]
}

/**
 * Looks again at the best hits of BM25F and orders them by a linear sum of evidence (CombSUM: Fox and Shaw, TREC-2 1994),
 * each signal in units of its standard deviation over those looked at. The first look is at the term vectors of many
 * candidates, the second at the text of those that are then the best. The sum is in the units of the BM25F score, and
 * what a signal adds is never below 0; so hits behind those looked at keep their score and their place behind them.
 *
 * Everything is a function of the candidates in their order, of what was stored with each when it was acquired, and of
 * the query's weights and the average length as of the instant: neither segments nor what was acquired after the cut can
 * show in it.
 *
 * @param hits - in the order of BM25F; scores in units of 1.
 */
export function rescore(hits: readonly Hit[], query: WeighedQuery, options: RescoreOptions): Rescored {
  const { profile, compare } = options
  const candidates = hits.slice(0, profile.candidates).map(
    (hit): Candidate => ({
      hit: { ...hit },
      captureId: hit.segment.columns.captureIds[hit.ordinal],
      parts: [],
    }),
  )
  const unit = standardDeviation(candidates.map(({ hit }) => hit.score)) || 1
  const saturationOf = saturations(options.averageLength)
  firstLook(candidates, query, { ...options, unit, saturationOf })
  candidates.sort((a, b) => compare(a.hit, b.hit))
  const finalists = candidates.slice(0, profile.finalists)
  addParts(finalists, textEvidence(finalists, query, { ...options, saturationOf }), { ...options, unit })
  finalists.sort((a, b) => compare(a.hit, b.hit))
  const parts = new Map(candidates.map(candidate => [candidate.hit, candidate.parts]))
  return {
    hits: [
      ...[...finalists, ...candidates.slice(profile.finalists)].map(({ hit }) => hit),
      ...hits.slice(profile.candidates),
    ],
    partsOf: hit => parts.get(hit) ?? [],
  }
}

interface Look extends RescoreOptions {
  unit: number
  saturationOf: (length: number) => number
}

/** Adds what the term vectors tell: first of each candidate by itself, then of how it is like the best of them. */
function firstLook(candidates: Candidate[], query: WeighedQuery, look: Look): void {
  const { profile, read } = look
  const vectors = candidates.map(({ captureId }) => read.vectorOf(captureId))
  const early = new EarlyTerms(query.terms, query.weights, profile.leadDecay)
  addParts(candidates, { lead: Float64Array.from(vectors, vector => early.evidence(vector)) }, look)
  const good = goodPages(candidates, look)
  const numbered = new CandidateVectors(vectors)
  const idf = candidateIdf(numbered)
  const lengths = candidates.map(({ hit }) => hit.segment.columns.lengths[hit.ordinal])
  const evidence = {
    consensus: consensus(numbered.vectors, idf, good),
    expansion: expansion(numbered.vectors, idf, good, {
      terms: profile.expansionTerms,
      lengths,
      saturation: lengths.map(look.saturationOf),
    }),
  }
  addParts(candidates, evidence, look)
}

/** The best candidates by what is known so far. */
function goodPages(candidates: readonly Candidate[], { profile, unit }: Look): GoodPages {
  const scores = candidates.map(({ hit }) => hit.score / unit)
  const pages = [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b).slice(0, profile.consensusPages)
  return { pages, trust: pages.map(page => Math.exp(profile.consensusTrust * (scores[page] - scores[pages[0]]))) }
}

/** What the beginning of their text tells of the finalists. */
function textEvidence(
  finalists: readonly Candidate[],
  query: WeighedQuery,
  { profile, read, saturationOf }: Omit<Look, 'unit'>,
): Evidence {
  const evidence = {
    letters: new Float64Array(finalists.length),
    pairs: new Float64Array(finalists.length),
    order: new Float64Array(finalists.length),
  }
  const positions = new WordPositions(query, profile.pairDistance)
  const grams = new LetterGrams(query)
  finalists.forEach(({ captureId, hit }, f) => {
    const source = read.textOf(captureId, profile.readUnits)
    const saturation = saturationOf(hit.segment.columns.lengths[hit.ordinal])
    const { pairs, order } = positions.evidence(source, saturation)
    evidence.pairs[f] = pairs
    evidence.order[f] = order
    evidence.letters[f] = grams.evidence(source, saturation)
  })
  return evidence
}

/** Adds to the scores what each signal is worth, in units of its standard deviation. */
function addParts(
  candidates: readonly Candidate[],
  evidence: Evidence,
  { profile, unit, scale }: Pick<Look, 'profile' | 'unit' | 'scale'>,
): void {
  for (const signal of signals) {
    const values = evidence[signal]
    const deviation = values ? standardDeviation(values) : 0
    if (!values || deviation === 0) continue
    const weight = (profile.weights[signal] * unit) / deviation
    candidates.forEach(({ hit, parts }, c) => {
      const score = Math.round(weight * values[c] * scale) / scale
      if (score === 0) return
      hit.score += score
      parts.push({ signal, weight, value: values[c], score })
    })
  }
}

/** By length, the frequency at which a term counts half: that of BM25. */
function saturations(averageLength: number): (length: number) => number {
  const slope = saturationSlope(averageLength)
  return length => SATURATION_BASE + slope * length
}

function standardDeviation(values: ArrayLike<number>): number {
  let mean = 0
  for (let i = 0; i < values.length; i++) mean += values[i]
  mean /= values.length
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i] - mean) ** 2
  return Math.sqrt(squares / values.length)
}
