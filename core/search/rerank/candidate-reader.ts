import type { TermVector } from '../../segment/term-vector.ts'
import type { SimilarityReader } from '../../vectors/vector-reader.ts'

/** The part of a capture that is read to re-rank it. */
export interface CandidateText {
  title: string
  /** The language in which the text was analyzed, ISO 639-1. Default: unknown. */
  language?: string
  /** The beginning of its plain text. */
  text: string
}

/** Reads captures for re-ranking. */
export interface CandidateReader {
  vectorOf(captureId: number): TermVector
  /** Undefined if no embedding model takes part. */
  meaning?: SimilarityReader
  /** @param units - maximum number of UTF-16 units of the text. */
  textOf(captureId: number, units: number): CandidateText
}
