import type { Hit } from '../../kernels/top-hits.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import { SATURATION_BASE, saturationSlope } from '../../segment/ranking-model.ts'
import type { TermVector } from '../../segment/term-vector.ts'
import type { SimilarityReader } from '../../vectors/vector-reader.ts'
import type { SignalPart } from '../search-answer.ts'
import type { CandidateReader } from './candidate-reader.ts'
import { CandidateVectors } from './candidate-vectors.ts'
import { EarlyTerms } from './early-terms.ts'
import { shareByHosts } from './host-share.ts'
import { LetterGrams } from './letter-grams.ts'
import { NearDuplicates } from './near-duplicates.ts'
import { neighborEvidence } from './neighbors.ts'
import { type ProProfile, type Signal, signals } from './ranking-profiles.ts'
import { type FeedbackPages, feedbackSimilarity, relevanceModel } from './relevance-feedback.ts'
import { standardDeviation } from './standard-deviation.ts'
import { timeEvidence } from './time-evidence.ts'
import { candidateIdf, type UnitVector, unitVectors } from './unit-vectors.ts'
import type { WeightedQuery } from './weighted-query.ts'
import { WordPositions } from './word-positions.ts'

export interface RescoreOptions {
  profile: ProProfile
  /** The instant answered as of, epoch ms. */
  instant: number
  /** Number of fixed-point units in 1 unit of a score; a power of two. */
  scale: number
  /** Mean weighted length of a capture as of the instant. */
  averageLength: number
  read: CandidateReader
  /**
   * Further candidates: the nearest captures by vector. Their scores are BM25F scores, 0 if they contain no word of the
   * query.
   */
  nearest: readonly Hit[]
  /** Compares two hits: negative if the first goes before the second. */
  compare: (a: Hit, b: Hit) => number
  /**
   * Returns the host of a hit, '' for none. Undefined if hosts may have any share, because the search is restricted to
   * sites.
   */
  hostOf?: (hit: Hit) => string
  /** Maximum number of hits to return. */
  limit: number
}

export interface Rescored {
  /** Best first, without near-duplicates of better ones. */
  hits: Hit[]
  /** Returns the contribution of each signal to the score of a hit. */
  partsOf: (hit: Hit) => SignalPart[]
}

type Evidence = { [S in Signal]?: Float64Array }

/** A hit while its score is being changed. */
interface Candidate {
  hit: Hit
  vector: TermVector
  parts: SignalPart[]
}

/** The options with what is derived from them. */
interface Context extends RescoreOptions {
  /** Standard deviation of the BM25F scores of the candidates. */
  unit: number
  /** Returns, for the length of a page, the frequency at which a term has half of its maximum score. */
  saturationOf: (length: number) => number
}

/**
 * Re-ranks the best hits of BM25F by a linear combination of signals (CombSUM: Fox and Shaw, TREC-2 1994). Each signal is
 * measured in units of its standard deviation over the candidates, and contributes at least 0.
 *
 * 1. All candidates: signals that need only their term vectors, publish dates and embedding vectors.
 * 2. The best candidates so far (finalists): signals that need the beginning of their text.
 * 3. All candidates: similarity to the best candidates so far (relevance feedback), and to one another.
 *
 * Sums are in units of the BM25F score, so hits after the candidates keep their scores and their places.
 *
 * The result depends only on the candidates and their order, on what was stored with each when it was acquired, and on the
 * weights of the query and the average length as of the instant. It depends neither on the layout of segments nor on
 * captures acquired later.
 *
 * @param hits - in the order of BM25F; scores in units of 1.
 */
export function rescore(hits: readonly Hit[], query: WeightedQuery, options: RescoreOptions): Rescored {
  const { profile, read, nearest, compare } = options
  const found = hits.slice(0, profile.candidates)
  const added = nearest.filter(hit => !found.some(other => isSame(hit, other)))
  const candidates = [...found, ...added].map((hit): Candidate => {
    return { hit: { ...hit }, vector: vectorOf(hit, read), parts: [] }
  })
  const context: Context = {
    ...options,
    unit: standardDeviation(found.map(({ score }) => score)) || 1,
    saturationOf: saturations(options.averageLength),
  }
  const inOrder = (): Candidate[] => candidates.toSorted((a, b) => compare(a.hit, b.hit))
  const early = new EarlyTerms(query.terms, query.weights, profile.leadDecay)
  addParts(candidates, { lead: Float64Array.from(candidates, ({ vector }) => early.evidence(vector)) }, context)
  if (query.time !== undefined)
    addParts(
      candidates,
      { time: timeEvidence(publishDatesOf(candidates, context), query.time, profile.timeDecay) },
      context,
    )
  if (read.meaning) addParts(candidates, { meaning: meaningEvidence(candidates, read.meaning) }, context)
  const finalists = inOrder().slice(0, profile.finalists)
  addParts(finalists, textEvidence(finalists, query, context), context)
  addSimilarities(candidates, inOrder(), context)
  const parts = new Map(candidates.map(candidate => [candidate.hit, candidate.parts]))
  const isFull = found.length === profile.candidates
  // The hits that follow the BM25F candidates score at most as much as the last of these candidates did by BM25F. The order of lower scores is
  // unknown.
  const minScore = isFull ? found[found.length - 1]!.score : 0
  const isIn = ({ hit }: Candidate): boolean => hit.score >= minScore
  const inAll = candidates.filter(isIn)
  const rest = hits.slice(profile.candidates).filter(hit => !inAll.some(other => isSame(hit, other.hit)))
  return {
    hits: arrange(inOrder().filter(isIn), rest, context),
    partsOf: hit => parts.get(hit) ?? [],
  }
}

function isSame(a: Hit, b: Hit): boolean {
  return a.ordinal === b.ordinal && a.segment === b.segment
}

/** The similarity of each candidate to the query; the mean of the others for a candidate without a vector. */
function meaningEvidence(candidates: readonly Candidate[], meaning: SimilarityReader): Float64Array {
  const cosines = candidates.map(({ hit: { segment, ordinal } }) =>
    meaning.cosine(segment.columns.captureIds[ordinal]!),
  )
  const known = cosines.filter(cosine => cosine !== undefined).map(cosine => Math.max(0, cosine))
  const mean = known.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, known.length)
  return Float64Array.from(cosines, cosine => (cosine === undefined ? mean : Math.max(0, cosine)))
}

function vectorOf({ segment, ordinal }: Hit, read: CandidateReader): TermVector {
  return read.vectorOf(segment.columns.captureIds[ordinal]!)
}

function lengthOf({ segment, ordinal }: Hit): number {
  return segment.columns.lengths[ordinal]!
}

/** The publish dates of the candidates as of the instant. */
function publishDatesOf(candidates: readonly Candidate[], { instant }: Context): number[] {
  return candidates.map(({ hit: { segment, ordinal } }) => segment.publishedAt(ordinal, instant))
}

/** Adds the signals that compare the term vectors of candidates: with those of the best candidates, and with one another. */
function addSimilarities(candidates: readonly Candidate[], inOrder: readonly Candidate[], context: Context): void {
  const { profile, unit, saturationOf } = context
  const trustIn = ({ hit }: Candidate, steepness: number): number =>
    Math.exp((steepness * (hit.score - inOrder[0]!.hit.score)) / unit)
  const best = inOrder.slice(0, profile.consensusPages)
  const feedback: FeedbackPages = {
    pages: best.map(candidate => candidates.indexOf(candidate)),
    trust: best.map(candidate => trustIn(candidate, profile.consensusTrust)),
  }
  const { vectors, terms } = new CandidateVectors(candidates.map(({ vector }) => vector))
  const idf = candidateIdf(vectors, terms)
  const units = unitVectors(vectors, idf)
  const unitOf = new Map(candidates.map((candidate, c) => [candidate, units[c]]))
  const lengths = candidates.map(({ hit }) => lengthOf(hit))
  const peers = inOrder.slice(0, profile.peers)
  const neighborValues = neighborEvidence(
    peers.map(peer => unitOf.get(peer) as UnitVector),
    terms,
    peers.map(peer => trustIn(peer, profile.peerTrust)),
    profile.nearest,
  )
  const evidence = {
    consensus: feedbackSimilarity(units, terms, feedback, profile.consensusSelf),
    expansion: relevanceModel(vectors, idf, feedback, {
      terms: profile.expansionTerms,
      lengths,
      saturation: lengths.map(saturationOf),
    }),
  }
  // Similarities among few candidates are unreliable, and so is their standard deviation.
  const share = Math.min(1, candidates.length / profile.fullCount)
  addParts(candidates, evidence, context, share)
  addParts(peers, { neighbors: neighborValues }, context, share)
}

/** The hits to return: the candidates with the share of each host limited, then the rest; without near-duplicates. */
function arrange(
  inOrder: readonly Candidate[],
  rest: readonly Hit[],
  { profile, read, limit, hostOf }: Context,
): Hit[] {
  const duplicates = new NearDuplicates(profile.duplicates)
  const distinct = function* (): Generator<Hit, void> {
    for (const { hit, vector } of inOrder) if (!duplicates.isDuplicate(vector, lengthOf(hit))) yield hit
  }
  const distinctRest = function* (): Generator<Hit, void> {
    for (const hit of rest) {
      checkSearchTime()
      if (duplicates.isFull || !duplicates.isDuplicate(vectorOf(hit, read), lengthOf(hit))) yield hit
    }
  }
  const hits: Hit[] = []
  for (const source of [hostOf ? shareByHosts(distinct(), hostOf, profile.hostShare) : distinct(), distinctRest()])
    for (const hit of source) {
      hits.push(hit)
      if (hits.length === limit) return hits
    }
  return hits
}

/** The signals that need the beginning of the text of a finalist. */
function textEvidence(
  finalists: readonly Candidate[],
  query: WeightedQuery,
  { profile, read, saturationOf }: Context,
): Evidence {
  const evidence = {
    written: new Float64Array(finalists.length),
    letters: new Float64Array(finalists.length),
    pairs: new Float64Array(finalists.length),
    order: new Float64Array(finalists.length),
  }
  const positions = new WordPositions(query, profile.pairDistance)
  const grams = new LetterGrams(query)
  finalists.forEach(({ hit: { segment, ordinal } }, f) => {
    checkSearchTime()
    const source = read.textOf(segment.columns.captureIds[ordinal]!, profile.readUnits)
    const saturation = saturationOf(segment.columns.lengths[ordinal]!)
    const { pairs, order, written } = positions.evidence(source, saturation)
    evidence.pairs[f] = pairs
    evidence.order[f] = order
    evidence.written[f] = written
    evidence.letters[f] = grams.evidence(source, saturation)
  })
  return evidence
}

/** Adds signals to the scores, in units of their standard deviation. @param share - factor for all of them. */
function addParts(
  candidates: readonly Candidate[],
  evidence: Evidence,
  { profile, unit, scale }: Context,
  share = 1,
): void {
  for (const signal of signals) {
    const values = evidence[signal]
    // Nearly all pages are far from the time that a query asks for, so the standard deviation of this signal is meaningless.
    const deviation = signal === 'time' ? 1 : values ? standardDeviation(values) : 0
    if (!values || deviation === 0) continue
    const inUnits = profile.weights[signal] * share
    // This signal is a share of the BM25F score of the words. It does not depend on how much the scores of the candidates differ.
    const weight = signal === 'written' ? inUnits : (inUnits * unit) / deviation
    candidates.forEach(({ hit, parts }, c) => {
      const value = values[c]!
      const score = Math.round(weight * value * scale) / scale
      if (score === 0) return
      hit.score += score
      parts.push({ signal, weight, value, score })
    })
  }
}

/** The frequency at which a term has half of its maximum BM25 score, by the length of the page. */
function saturations(averageLength: number): (length: number) => number {
  const slope = saturationSlope(averageLength)
  return length => SATURATION_BASE + slope * length
}
