import type { TermVector } from '../../segment/term-vector.ts'

/** The part of a capture that is read to re-rank it. */
export interface CandidateText {
  title: string
  /** The language that it was analyzed in. Default: unknown. */
  language?: string
  /** The beginning of its plain text. */
  text: string
}

/** Compares captures with a query by the vectors of an embedding model. */
export interface SimilarityReader {
  /** Maximum number of captures of an index whose vectors are all compared with the query. */
  capacity: number
  /** The cosine similarity of a capture and the query; `undefined` if the capture has no vector. */
  cosine(captureId: number): number | undefined
}

/** Reads captures for re-ranking. */
export interface CandidateReader {
  vectorOf(captureId: number): TermVector
  /** Undefined if no embedding model takes part. */
  meaning?: SimilarityReader
  /** @param units - maximum number of UTF-16 units of the text. */
  textOf(captureId: number, units: number): CandidateText
}
