import { AsofError } from '@asof/extract/errors'
import { VarintCursor } from '../../bytes/varint-cursor.ts'
import { compareTerms } from '../../text/terms/term-bytes.ts'
import { copy } from '../streams.ts'
import {
  HALF_BYTE,
  INLINE_POSTINGS,
  ListEnds,
  type ListSizes,
  listUnit,
  RESTART_EVERY,
  STANDING_STORED_FROM,
  STANDING_UNIT,
  type TermEntry,
} from './dictionary-format.ts'
import { readInline, skipInline } from './inline-postings.ts'

/** A chunk of a dictionary, and the offset in it of an entry that is a restart. */
export interface EntryBytes {
  bytes: Uint8Array
  at: number
}

/** Walks over the terms of a dictionary as bytes, without an object per term. Its fields describe the current term. */
export class TermCursor implements ListSizes {
  /** The UTF-8 bytes of the term: the first `termBytes` of this buffer. */
  term: Uint8Array = new Uint8Array(256)
  termBytes = 0
  count = 0
  postingsBytes = 0
  positionsBytes = 0
  /** Addresses of the term's lists, see {@link TermEntry}; 0 if its postings are inline. */
  postingsAt = 0
  positionsAt = 0
  ended = 0
  standingAt = 0
  standingBytes = 0
  /** Where inline postings begin and end in {@link chunk}. */
  inlineFrom = 0
  inlineTo = 0
  readonly #ends = new ListEnds()
  readonly #varints = new VarintCursor(new Uint8Array(0))
  readonly #chunks: Iterator<EntryBytes> | undefined
  #untilRestart = 0

  /** @param chunks - the chunks to walk over. Without them, call {@link seek} first. */
  constructor(chunks?: Iterator<EntryBytes>) {
    this.#chunks = chunks
  }

  /** The chunk that holds the current term. */
  get chunk(): Uint8Array {
    return this.#varints.bytes
  }

  /** Moves to just before an entry that is a restart. {@link next} then moves to the entry. */
  seek({ bytes, at }: EntryBytes): void {
    this.#varints.bytes = bytes
    this.#varints.at = at
    this.#untilRestart = 0
  }

  /**
   * Moves to the next term; returns false at the end.
   *
   * @throws ASOF_STORE_CORRUPT
   */
  next(): boolean {
    const varints = this.#varints
    if (varints.at >= varints.bytes.length) {
      const next = this.#chunks?.next()
      if (!next || next.done) return false
      this.seek(next.value)
    }
    const ends = this.#ends
    if (this.#untilRestart-- === 0) {
      ends.postings = varints.next()
      ends.longPostings = varints.next()
      ends.positions = varints.next()
      this.#untilRestart = RESTART_EVERY - 1
    }
    this.#readTerm()
    this.count = varints.next()
    this.ended = 0
    this.standingAt = 0
    this.standingBytes = 0
    if (this.count <= INLINE_POSTINGS) this.#skipInline()
    else {
      const unit = listUnit(this.count)
      this.postingsBytes = varints.next() * unit
      const hasStandingList = this.postingsBytes === 0
      if (hasStandingList) this.postingsBytes = varints.next() * unit
      this.positionsBytes = varints.next() * unit
      if (hasStandingList) this.#readStandingPlace()
      this.postingsAt = ends.add(this)
      this.positionsAt = ends.positions - this.positionsBytes
    }
    if (varints.at > varints.bytes.length) throw new AsofError('ASOF_STORE_CORRUPT', 'a term dictionary ends early')
    return true
  }

  /** Compares the current term with another: negative if it comes before that in UTF-16 order, 0 if it is equal. */
  compare(term: Uint8Array): number {
    return compareTerms(this.term, 0, this.termBytes, term, 0, term.length)
  }

  /** A copy of the current entry, which stays valid when the cursor moves. */
  entry(): TermEntry {
    const { count, postingsAt, postingsBytes, positionsAt, positionsBytes, ended, standingAt, standingBytes } = this
    const term = Buffer.from(this.term.buffer, 0, this.termBytes).toString()
    const lists = { postingsAt, postingsBytes, positionsAt, positionsBytes, ended, standingAt, standingBytes }
    const entry: TermEntry = { term, count, ...lists }
    if (count <= INLINE_POSTINGS) entry.inline = readInline(count, this.chunk, this.inlineFrom)
    return entry
  }

  #readTerm(): void {
    const varints = this.#varints
    const { bytes } = varints
    const halves = bytes[varints.at++]!
    let shared = halves >> 4
    let own = halves & HALF_BYTE
    if (shared === HALF_BYTE) shared += varints.next()
    if (own === HALF_BYTE) own += varints.next()
    const { at } = varints
    if (shared > this.termBytes || at + own > bytes.length)
      throw new AsofError(
        'ASOF_STORE_CORRUPT',
        'a term is longer than its chunk, or shares bytes that its predecessor lacks',
      )
    if (shared + own > this.term.length) {
      const grown = new Uint8Array((shared + own) * 2)
      grown.set(this.term)
      this.term = grown
    }
    copy(bytes, at, at + own, this.term, shared)
    varints.at += own
    this.termBytes = shared + own
  }

  #readStandingPlace(): void {
    const varints = this.#varints
    this.ended = varints.next()
    this.standingBytes = varints.next() * STANDING_UNIT
    this.standingAt = varints.next() * STANDING_UNIT
    if (this.count < STANDING_STORED_FROM || this.ended === 0 || this.ended > this.count)
      throw new AsofError('ASOF_STORE_CORRUPT', 'a term dictionary has a standing list of a term that can have none')
  }

  #skipInline(): void {
    const varints = this.#varints
    this.postingsAt = 0
    this.postingsBytes = 0
    this.positionsAt = 0
    this.positionsBytes = 0
    this.inlineFrom = varints.at
    skipInline(this.count, varints)
    this.inlineTo = varints.at
  }
}
