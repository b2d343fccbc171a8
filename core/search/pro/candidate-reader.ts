import type { TermVector } from '../../store/term-vector.ts'

/** What is read of a capture that may be among the first. */
export interface CandidateText {
  title: string
  /** The language that it was analysed in. Default: unknown. */
  language?: string
  /** The beginning of its plain text. */
  text: string
}

/** Reads what `pro` looks at. */
export interface CandidateReader {
  vectorOf(captureId: number): TermVector
  /** At most so many UTF-16 units of the text. */
  textOf(captureId: number, units: number): CandidateText
}
