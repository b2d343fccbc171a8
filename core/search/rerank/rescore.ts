import type { SignalPart } from '../../engine.ts'
import { SATURATION_BASE, saturationSlope } from '../../segment/ranking-model.ts'
import type { TermVector } from '../../store/records/term-vector.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { Hit } from '../topk/top-hits.ts'
import type { CandidateReader, MeaningReader } from './candidate-reader.ts'
import { CandidateVectors } from './candidate-vectors.ts'
import { EarlyTerms } from './early-terms.ts'
import { sharedByHosts } from './host-share.ts'
import { LetterGrams } from './letter-grams.ts'
import { NearDuplicates } from './near-duplicates.ts'
import { neighbours } from './neighbours.ts'
import { type ProProfile, type Signal, signals } from './ranking-profiles.ts'
import { consensus, expansion, type GoodPages } from './relevance-feedback.ts'
import { standardDeviation } from './standard-deviation.ts'
import { timeEvidence } from './time-evidence.ts'
import { candidateIdf, type UnitVector, unitVectors } from './unit-vectors.ts'
import type { WeighedQuery } from './weighed-query.ts'
import { WordPositions } from './word-positions.ts'

export interface RescoreOptions {
  profile: ProProfile
  /** The instant answered as of, epoch ms. */
  instant: number
  /** Fixed-point units that make 1 of a score; a power of two. */
  scale: number
  /** Mean weighted length of a capture as of the instant. */
  averageLength: number
  read: CandidateReader
  /** Hits that are candidates too, since they mean what the query means; scores as of BM25F, 0 where they share no word. */
  meant: readonly Hit[]
  /** The order of hits: negative when the first goes before. */
  compare: (a: Hit, b: Hit) => number
  /** The host of a hit, '' for none; absent when the search is limited to sites. */
  hostOf?: (hit: Hit) => string
  /** Most hits that are wanted. */
  limit: number
}

export interface Rescored {
  /** Best first; what repeats one before it is left out. */
  hits: Hit[]
  /** What each signal added to the score of a hit. */
  partsOf: (hit: Hit) => SignalPart[]
}

type Evidence = { [S in Signal]?: Float64Array }

/** A hit in the making. */
interface Candidate {
  hit: Hit
  vector: TermVector
  parts: SignalPart[]
}

interface Look extends RescoreOptions {
  /** Standard deviation of the BM25F scores. */
  unit: number
  /** By length, the frequency at which a term counts half. */
  saturationOf: (length: number) => number
}

/**
 * Looks again at the best hits of BM25F and orders them by a linear sum of evidence (CombSUM: Fox and Shaw, TREC-2 1994),
 * each signal in units of its standard deviation over those looked at. The candidates are many, and their term vectors
 * are all that is read of them; of those that are then the best, the finalists, the text is. Who is best after that is
 * what the candidates are held against; of the best then, each is held against those most like it. The sum is in the
 * units of the BM25F score, and what a signal adds is never below 0; so hits behind the candidates keep their score and
 * their place behind them.
 *
 * Everything is a function of the candidates in their order, of what was stored with each when it was acquired, and of
 * the query's weights and the average length as of the instant: neither segments nor what was acquired after the cut can
 * show in it.
 *
 * @param hits - in the order of BM25F; scores in units of 1.
 */
export function rescore(hits: readonly Hit[], query: WeighedQuery, options: RescoreOptions): Rescored {
  const { profile, read, meant, compare } = options
  const found = hits.slice(0, profile.candidates)
  const added = meant.filter(hit => !found.some(other => isSame(hit, other)))
  const candidates = [...found, ...added].map((hit): Candidate => {
    return { hit: { ...hit }, vector: vectorOf(hit, read), parts: [] }
  })
  const look: Look = {
    ...options,
    unit: standardDeviation(found.map(({ score }) => score)) || 1,
    saturationOf: saturations(options.averageLength),
  }
  const inOrder = (): Candidate[] => candidates.toSorted((a, b) => compare(a.hit, b.hit))
  const early = new EarlyTerms(query.terms, query.weights, profile.leadDecay)
  addParts(candidates, { lead: Float64Array.from(candidates, ({ vector }) => early.evidence(vector)) }, look)
  if (query.time !== undefined)
    addParts(candidates, { time: timeEvidence(publishDatesOf(candidates, look), query.time, profile.timeDecay) }, look)
  if (read.meaning) addParts(candidates, { meaning: meaningEvidence(candidates, read.meaning) }, look)
  const finalists = inOrder().slice(0, profile.finalists)
  addParts(finalists, textEvidence(finalists, query, look), look)
  agree(candidates, inOrder(), look)
  const parts = new Map(candidates.map(candidate => [candidate.hit, candidate.parts]))
  const isFull = found.length === profile.candidates
  // Whatever stands behind the candidates has no more than the last of them had: that is where it may be told from them.
  const least = isFull ? found[found.length - 1].score : 0
  const isIn = ({ hit }: Candidate): boolean => hit.score >= least
  const inAll = candidates.filter(isIn)
  const rest = hits.slice(profile.candidates).filter(hit => !inAll.some(other => isSame(hit, other.hit)))
  return {
    hits: arranged(inOrder().filter(isIn), rest, look),
    partsOf: hit => parts.get(hit) ?? [],
  }
}

function isSame(a: Hit, b: Hit): boolean {
  return a.ordinal === b.ordinal && a.segment === b.segment
}

/** How near each candidate is to the query; one of which that is not known stands in the middle of the others. */
function meaningEvidence(candidates: readonly Candidate[], meaning: MeaningReader): Float64Array {
  const cosines = candidates.map(({ hit: { segment, ordinal } }) => meaning.cosine(segment.columns.captureIds[ordinal]))
  const known = cosines.filter(cosine => cosine !== undefined).map(cosine => Math.max(0, cosine))
  const middle = known.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, known.length)
  return Float64Array.from(cosines, cosine => (cosine === undefined ? middle : Math.max(0, cosine)))
}

function vectorOf({ segment, ordinal }: Hit, read: CandidateReader): TermVector {
  return read.vectorOf(segment.columns.captureIds[ordinal])
}

function lengthOf({ segment, ordinal }: Hit): number {
  return segment.columns.lengths[ordinal]
}

/** The publish dates that are valid at the instant. */
function publishDatesOf(candidates: readonly Candidate[], { instant }: Look): number[] {
  return candidates.map(({ hit: { segment, ordinal } }) => segment.publishedAt(ordinal, instant))
}

/** Adds what the term vectors tell of how the candidates are like the best of them, and like one another. */
function agree(candidates: readonly Candidate[], inOrder: readonly Candidate[], look: Look): void {
  const { profile, unit, saturationOf } = look
  const trustIn = ({ hit }: Candidate, steepness: number): number =>
    Math.exp((steepness * (hit.score - inOrder[0].hit.score)) / unit)
  const best = inOrder.slice(0, profile.consensusPages)
  const good: GoodPages = {
    pages: best.map(candidate => candidates.indexOf(candidate)),
    trust: best.map(candidate => trustIn(candidate, profile.consensusTrust)),
  }
  const { vectors, terms } = new CandidateVectors(candidates.map(({ vector }) => vector))
  const idf = candidateIdf(vectors, terms)
  const units = unitVectors(vectors, idf)
  const unitOf = new Map(candidates.map((candidate, c) => [candidate, units[c]]))
  const lengths = candidates.map(({ hit }) => lengthOf(hit))
  const peers = inOrder.slice(0, profile.peers)
  const company = neighbours(
    peers.map(peer => unitOf.get(peer) as UnitVector),
    terms,
    peers.map(peer => trustIn(peer, profile.peerTrust)),
    profile.nearest,
  )
  const evidence = {
    consensus: consensus(units, terms, good, profile.consensusSelf),
    expansion: expansion(vectors, idf, good, {
      terms: profile.expansionTerms,
      lengths,
      saturation: lengths.map(saturationOf),
    }),
  }
  // What few have in common tells little, and their spread even less.
  const share = Math.min(1, candidates.length / profile.company)
  addParts(candidates, evidence, look, share)
  addParts(peers, { neighbours: company }, look, share)
}

/**
 * The hits that are wanted: candidates with none of the hosts crowding out the others, then the rest. What repeats one
 * before it is in neither.
 */
function arranged(inOrder: readonly Candidate[], rest: readonly Hit[], { profile, read, limit, hostOf }: Look): Hit[] {
  const repeats = new NearDuplicates(profile.sameness)
  const distinct = function* (): Generator<Hit, void> {
    for (const { hit, vector } of inOrder) if (!repeats.isRepeated(vector, lengthOf(hit))) yield hit
  }
  const distinctRest = function* (): Generator<Hit, void> {
    for (const hit of rest) {
      checkSearchTime()
      if (!repeats.isRepeated(vectorOf(hit, read), lengthOf(hit))) yield hit
    }
  }
  const hits: Hit[] = []
  for (const source of [hostOf ? sharedByHosts(distinct(), hostOf, profile.hostShare) : distinct(), distinctRest()])
    for (const hit of source) {
      hits.push(hit)
      if (hits.length === limit) return hits
    }
  return hits
}

/** What the beginning of their text tells of the finalists. */
function textEvidence(
  finalists: readonly Candidate[],
  query: WeighedQuery,
  { profile, read, saturationOf }: Look,
): Evidence {
  const evidence = {
    letters: new Float64Array(finalists.length),
    pairs: new Float64Array(finalists.length),
    order: new Float64Array(finalists.length),
  }
  const positions = new WordPositions(query, profile.pairDistance)
  const grams = new LetterGrams(query)
  finalists.forEach(({ hit: { segment, ordinal } }, f) => {
    checkSearchTime()
    const source = read.textOf(segment.columns.captureIds[ordinal], profile.readUnits)
    const saturation = saturationOf(segment.columns.lengths[ordinal])
    const { pairs, order } = positions.evidence(source, saturation)
    evidence.pairs[f] = pairs
    evidence.order[f] = order
    evidence.letters[f] = grams.evidence(source, saturation)
  })
  return evidence
}

/** Adds to the scores what each signal is worth, in units of its standard deviation; or a share of it. */
function addParts(
  candidates: readonly Candidate[],
  evidence: Evidence,
  { profile, unit, scale }: Look,
  share = 1,
): void {
  for (const signal of signals) {
    const values = evidence[signal]
    // A time is far from nearly all pages, so that the spread of its evidence says nothing.
    const deviation = signal === 'time' ? 1 : values ? standardDeviation(values) : 0
    if (!values || deviation === 0) continue
    const weight = (share * profile.weights[signal] * unit) / deviation
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
