import type { HostShare } from './host-share.ts'
import type { SimilarityThreshold } from './near-duplicates.ts'

/**
 * The settings of re-ranking. Receipts contain the name of the profile. The settings are part of the ranking, so a changed profile needs a new
 * number of the ranking, see `RANKING`. README.md explains each signal.
 */
export interface ProProfile {
  name: string
  /** Number of first-stage (BM25F) candidates to re-rank. */
  candidates: number
  /** Number of best candidates whose text is read. */
  finalists: number
  /** Number of UTF-16 units that are read of the text of a finalist. */
  readUnits: number
  /**
   * Weight of one standard deviation of a signal, in standard deviations of the BM25F score over the candidates. For `time`, whose values are at
   * most 1, the weight of the value 1. For `written`, a share of the BM25F score of the words.
   */
  weights: Readonly<Record<Signal, number>>
  /** Number of distinct terms after which an occurrence counts 1/e as much as at the beginning. */
  leadDecay: number
  /** Maximum number of positions between the two words of a pair. */
  pairDistance: number
  /** Number of best candidates that are the feedback set for `consensus` and `expansion`. */
  consensusPages: number
  /** Weight of the similarity of a feedback page to itself. */
  consensusSelf: number
  /** How steeply the trust in a feedback page falls with the distance of its score from the best score. */
  consensusTrust: number
  /** Number of terms of the feedback set that make the expanded query. */
  expansionTerms: number
  /**
   * Number of candidates from which on the similarity signals count in full; with fewer candidates they count proportionally
   * less.
   */
  fullCount: number
  /** Number of best candidates that are compared with one another for `neighbors`. */
  peers: number
  /** k of the k-nearest-neighbor signal. */
  nearest: number
  /** How steeply the trust in a peer falls with the distance of its score from the best score. */
  peerTrust: number
  /** Maximum number of further candidates: the captures nearest to the query by vector. */
  nearestCandidates: number
  /** Minimum similarity of these further candidates, in standard deviations above the mean of all captures; lower in very small indexes. */
  nearestDeviations: number
  /** Number of days between the publish date and the time that a query asks for at which the `time` signal falls to 1/e. */
  timeDecay: number
  /** How similar a candidate must be to a better one to be left out as a duplicate. */
  duplicates: SimilarityThreshold
  /** The maximum share of one host, unless the search is restricted to sites. */
  hostShare: HostShare
}

/** The re-ranking signals, in the order in which explanations list them. */
export const signals = [
  'lead',
  'written',
  'letters',
  'pairs',
  'order',
  'time',
  'meaning',
  'consensus',
  'expansion',
  'neighbors',
] as const
export type Signal = (typeof signals)[number]

/**
 * The profile of mode `pro`. One set of rounded values for all collections: close to the best mean nDCG@10 over the judged
 * English collections, with no collection below 0.98 × its nDCG@10 in mode `realtime` (bench/QUALITY.md). No public
 * collection can judge the share of hosts or the similarity of duplicates, so these values are mild.
 */
export const proProfile: ProProfile = {
  name: 'pro',
  candidates: 80,
  finalists: 20,
  readUnits: 2_000,
  weights: {
    lead: 0.4,
    written: 0.3,
    letters: 0.1,
    pairs: 0.2,
    order: 0.1,
    time: 1,
    meaning: 0,
    consensus: 0.7,
    expansion: 0.1,
    neighbors: 0.3,
  },
  leadDecay: 20,
  pairDistance: 7,
  consensusPages: 10,
  consensusSelf: 0.5,
  consensusTrust: 1,
  expansionTerms: 40,
  fullCount: 30,
  peers: 80,
  nearest: 5,
  peerTrust: 1.5,
  nearestCandidates: 0,
  nearestDeviations: 0,
  timeDecay: 30,
  duplicates: { terms: 32, share: 0.9 },
  hostShare: { window: 10, most: 3, within: 10 },
}

/**
 * The profile of mode `pro` if an embedding model is in use. Measured with all-MiniLM-L6-v2 on four small English
 * collections (adi, med, stackfaq, xquad-en): mean nDCG@10 is 0.768 without vectors, and 0.799, 0.807, 0.809 and 0.812 with
 * weights of 1 to 4. Choosing the weight on three collections and measuring on the fourth gives 0.806. Above 2 only one
 * collection gains, and precision at rank 1 falls on another, so the weight is not higher than 3.
 */
export const meaningProfile: ProProfile = {
  ...proProfile,
  name: 'pro-meaning',
  weights: { ...proProfile.weights, meaning: 3 },
  nearestCandidates: 50,
  nearestDeviations: 1.5,
}
