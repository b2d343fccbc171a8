import type { FieldType } from '../fields/field-values.ts'
import type { PostingsByTerm } from '../kernels/group-sorter.ts'

/** One capture after extraction and analysis. Its postings, body and term vector are in its group. */
export interface AnalyzedCapture {
  url: string
  aliases: string[]
  title: string
  /** The range of the encoded body in `bodies` of the group. */
  bodyStart: number
  bodyEnd: number
  /** The range of the term vector in `vectors` of the group. */
  vectorStart: number
  vectorEnd: number
  publishedAt?: number
  acquiredAt?: number
  /** The first 64 bits of the SHA-256 of title, text and identifiers, in hex. Equal for the same content. */
  fingerprint: string
  /** Equal for the same metadata, see `metadataFingerprint`. */
  metadata: string
  /** Number of words, those of the title weighted. */
  length: number
  /** The language that it was analyzed in, see `detectLanguage`. */
  language: string
  /** The types of its fields; undefined if it has none. */
  fields?: ReadonlyMap<string, FieldType>
}

/** The inverted postings of captures analyzed together, in a few flat buffers that cross threads without a copy. */
export interface GroupPostings extends PostingsByTerm {
  /** Number of captures. */
  captures: number
}

/** Captures analyzed together. */
export interface AnalyzedGroup {
  captures: AnalyzedCapture[]
  postings: GroupPostings
  /** The encoded bodies, one after another. */
  bodies: Uint8Array<ArrayBuffer>
  /** The encoded term vectors, one after another. */
  vectors: Uint8Array<ArrayBuffer>
}

/** The buffers of a group's postings. */
export function buffersOf({ terms, termEnds, postings, postingEnds }: GroupPostings): ArrayBuffer[] {
  return [terms.buffer, termEnds.buffer, postings.buffer, postingEnds.buffer]
}
