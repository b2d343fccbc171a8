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
  /** The best so many of those are looked at a third time. */
  finalists: number
  /** UTF-16 units of a finalist's text that are read. */
  readUnits: number
  /** What one standard deviation of a signal is worth, in standard deviations of the BM25F score over the candidates. */
  weights: Readonly<Record<Signal, number>>
  /** Different terms after which an occurrence counts for 1/e of one at the beginning. */
  leadDecay: number
  /** Positions that two words of a pair may be apart. */
  pairDistance: number
  /** Candidates that the others are held against. */
  consensusPages: number
  /** How steeply the trust in those falls with their distance from the best. */
  consensusTrust: number
  /** Terms that are taken from those for the expanded query. */
  expansionTerms: number
}

/** Evidence besides the BM25F score, in the order of the report. */
export const signals = ['lead', 'consensus', 'expansion', 'letters', 'pairs', 'order'] as const
export type Signal = (typeof signals)[number]

/**
 * One setting for all collections, rounded, on a flat optimum: weights fitted leave-one-out over the judged English
 * collections do no better. `npm run bench -- quality` measures it.
 */
export const proProfile: ProProfile = {
  name: 'pro-1',
  candidates: 100,
  finalists: 25,
  readUnits: 2_000,
  weights: { lead: 0.6, consensus: 0.4, expansion: 0.4, letters: 0.3, pairs: 0.15, order: 0.1 },
  leadDecay: 30,
  pairDistance: 7,
  consensusPages: 10,
  consensusTrust: 0.5,
  expansionTerms: 40,
}
