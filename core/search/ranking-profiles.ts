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
  /** What one standard deviation of a signal is worth, in standard deviations of the BM25F score over the candidates. */
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
}

/** Evidence besides the BM25F score, in the order of the report. */
export const signals = ['lead', 'letters', 'pairs', 'order', 'consensus', 'expansion'] as const
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
  weights: { lead: 0.4, letters: 0.1, pairs: 0.2, order: 0.1, consensus: 0.7, expansion: 0.1 },
  leadDecay: 20,
  pairDistance: 7,
  consensusPages: 10,
  consensusSelf: 0.5,
  consensusTrust: 1,
  expansionTerms: 40,
}
