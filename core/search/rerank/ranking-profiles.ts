import type { HostShare } from './host-share.ts'
import type { Sameness } from './near-duplicates.ts'

/**
 * The rankings behind the answers, by the names that receipts carry. The numbers of a profile never change once it was
 * released, so that one receipt means one answer: a better ranking is a profile of its own.
 */

/** BM25F alone; its k1, b and title weight are those of the ranking model, which segments are written with. */
export const realtimeProfile = 'bm25f-1'

/** What `pro` adds to BM25F: see the README of `pro/` for what each signal is. */
export interface ProProfile {
  name: string
  /** The best so many of BM25F are looked at again. */
  candidates: number
  /** Of the best so many of those the text is read. */
  finalists: number
  /** UTF-16 units of a finalist's text that are read. */
  readUnits: number
  /**
   * What one standard deviation of a signal is worth, in standard deviations of the BM25F score over the candidates; of
   * `time`, which is 1 at the most, what 1 is worth.
   */
  weights: Readonly<Record<Signal, number>>
  /** Different terms after which an occurrence counts for 1/e of one at the beginning. */
  leadDecay: number
  /** Positions that two words of a pair may be apart. */
  pairDistance: number
  /** Candidates that the others are held against. */
  consensusPages: number
  /** How much the likeness of one of these to itself counts. */
  consensusSelf: number
  /** How steeply the trust in those falls with their distance from the best. */
  consensusTrust: number
  /** Terms that are taken from those for the expanded query. */
  expansionTerms: number
  /** So many candidates it takes for what they have in common to count in full. */
  company: number
  /** Of the best so many candidates it is looked at how good those are that each is most like. */
  peers: number
  /** How many those are. */
  nearest: number
  /** How steeply the trust in the peers falls with their distance from the best. */
  peerTrust: number
  /** Candidates besides those of BM25F: the nearest in meaning, at most so many. */
  meant: number
  /** Standard deviations above the mean nearness of all captures, from which on one is one of those; fewer among a few. */
  meantFrom: number
  /** Days from the time that a query asks for after which a page counts for 1/e. */
  timeDecay: number
  /** When one candidate repeats another, and is left out. */
  sameness: Sameness
  /** How much of the results one host may take, unless the search is limited to sites. */
  hostShare: HostShare
}

/** Evidence besides the BM25F score, in the order of the report. */
export const signals = [
  'lead',
  'letters',
  'pairs',
  'order',
  'time',
  'meaning',
  'consensus',
  'expansion',
  'neighbours',
] as const
export type Signal = (typeof signals)[number]

/**
 * One rounded setting for all collections, near the best on the mean of the judged English ones, with no collection below 0.98 ×
 * the nDCG@10 of `realtime`. How it was chosen, and what it measures: bench/QUALITY.md. No public collection can judge the
 * share of hosts, nor what makes pages the same: these are mild.
 */
export const proProfile: ProProfile = {
  name: 'pro-1',
  candidates: 80,
  finalists: 20,
  readUnits: 2_000,
  weights: {
    lead: 0.4,
    letters: 0.1,
    pairs: 0.2,
    order: 0.1,
    time: 1,
    meaning: 0,
    consensus: 0.7,
    expansion: 0.1,
    neighbours: 0.3,
  },
  leadDecay: 20,
  pairDistance: 7,
  consensusPages: 10,
  consensusSelf: 0.5,
  consensusTrust: 1,
  expansionTerms: 40,
  company: 30,
  peers: 80,
  nearest: 5,
  peerTrust: 1.5,
  meant: 0,
  meantFrom: 0,
  timeDecay: 30,
  sameness: { terms: 32, share: 0.9 },
  hostShare: { window: 10, most: 3, within: 10 },
}

/**
 * `pro` where a model tells what the query and the pages mean. Measured with all-MiniLM-L6-v2 on four small English
 * collections (adi, med, stackfaq, xquad-en): mean nDCG@10 0.768 without, 0.799, 0.807, 0.809 and 0.812 with weights of 1 to
 * 4; the weight chosen on three and measured on the fourth gives 0.806. Beyond 2 the gain is one collection's, and the first
 * place suffers on another.
 */
export const meaningProfile: ProProfile = {
  ...proProfile,
  name: 'pro-1-meaning-1',
  weights: { ...proProfile.weights, meaning: 3 },
  meant: 50,
  meantFrom: 1.5,
}
