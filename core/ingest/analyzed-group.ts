/** What the history of its URL needs of one capture after extraction and analysis; the rest is in its group. */
export interface AnalyzedCapture {
  url: string
  aliases: string[]
  title: string
  /** Where the encoded body lies among those of its group. */
  bodyStart: number
  bodyEnd: number
  /** Where the term vector lies among those of its group. */
  vectorStart: number
  vectorEnd: number
  publishedAt?: number
  acquiredAt?: number
  /** 64 bits of the SHA-256 of title, text and identifiers, in hex: equal for the same content. */
  fingerprint: string
  /** Equal for the same metadata, see `metadataFingerprint`. */
  metadata: string
  /** Weighted length. */
  length: number
  /** The language it was analysed in, as `detectLanguage` tells it. */
  language: string
}

/**
 * The postings of captures analysed together, inverted, in few flat buffers that cross threads without a copy. A posting
 * is one term of one capture; postings stand term by term, within a term in the order of the captures.
 */
export interface GroupPostings {
  /** Number of captures. */
  captures: number
  /** UTF-8 bytes of the distinct terms, in ascending order, one after another. */
  terms: Uint8Array<ArrayBuffer>
  /** Per term: the end of its bytes, which begin where those of the term before end. */
  termEnds: Uint32Array<ArrayBuffer>
  /**
   * Per posting: varint captures between its own and that of the term's posting before (or the group's beginning),
   * varint weighted frequency − 1, varint bytes of positions, and these, the follower signature first.
   */
  postings: Uint8Array<ArrayBuffer>
  /** Per term: the end of its postings in bytes. */
  postingEnds: Uint32Array<ArrayBuffer>
}

/** Several captures analysed together. */
export interface AnalyzedGroup {
  captures: AnalyzedCapture[]
  postings: GroupPostings
  /** The bodies as they are stored, one after another. */
  bodies: Uint8Array<ArrayBuffer>
  /** The term vectors as they are stored, one after another. */
  vectors: Uint8Array<ArrayBuffer>
}

/** The buffers of a group's postings. */
export function buffersOf({ terms, termEnds, postings, postingEnds }: GroupPostings): ArrayBuffer[] {
  return [terms.buffer, termEnds.buffer, postings.buffer, postingEnds.buffer]
}
