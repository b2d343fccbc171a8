import type { PostingsByTerm } from '../kernels/group-sorter.ts'

/** One capture after extraction and analysis. Its postings, body and term vector are in the buffers of its group. */
export interface AnalyzedCapture {
  url: string
  aliases: string[]
  title: string
  /** The range of the encoded body in `bodies` of the group, bytes. */
  bodyStart: number
  bodyEnd: number
  /** The range of the term vector in `vectors` of the group, bytes. */
  vectorStart: number
  vectorEnd: number
  publishedAt?: number
  acquiredAt?: number
  /** True if the page has no text besides its title. */
  isEmpty?: true
  /** Number of characters that could not be decoded; undefined if there are none. */
  replaced?: number
  /** The first 64 bits of the SHA-256 of title, text and identifiers, in hex. */
  fingerprint: string
  /** A fingerprint of the metadata, see `metadataFingerprint`. */
  metadata: string
  /** Number of words. Those of the title count more. */
  length: number
  /** The language in which the capture was analyzed, ISO 639-1, see `detectLanguage`. */
  language: string
  /** The fields, as `writeFields` wrote them. */
  values: string
}

/** The postings of a group by term, in a few flat buffers that can be transferred between threads. */
export interface GroupPostings extends PostingsByTerm {
  /** Number of captures. */
  captures: number
}

/** Captures that were analyzed together. */
export interface AnalyzedGroup {
  captures: AnalyzedCapture[]
  postings: GroupPostings
  /** The encoded bodies, one after another. */
  bodies: Uint8Array<ArrayBuffer>
  /** The encoded term vectors, one after another. */
  vectors: Uint8Array<ArrayBuffer>
}

/** Returns the buffers of a group's postings, for a transfer to another thread. */
export function buffersOf({ terms, termEnds, postings, postingEnds }: GroupPostings): ArrayBuffer[] {
  return [terms.buffer, termEnds.buffer, postings.buffer, postingEnds.buffer]
}
