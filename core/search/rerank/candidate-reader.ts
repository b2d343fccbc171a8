import type { TermVector } from '../../store/records/term-vector.ts'

/** What is read of a capture that may be among the first. */
export interface CandidateText {
  title: string
  /** The language that it was analysed in. Default: unknown. */
  language?: string
  /** The beginning of its plain text. */
  text: string
}

/** Tells how near captures are to a query in meaning. */
export interface MeaningReader {
  /** Captures up to which an index is looked through. */
  capacity: number
  /** −1 to 1; `undefined` for a capture of which it is not known. */
  cosine(captureId: number): number | undefined
}

/** Reads what `pro` looks at. */
export interface CandidateReader {
  vectorOf(captureId: number): TermVector
  /** How near captures are to the query in meaning; absent when no model was asked. */
  meaning?: MeaningReader
  /** At most so many UTF-16 units of the text. */
  textOf(captureId: number, units: number): CandidateText
}
