import { AsofError } from '@asof/extract/errors'
import { upperBound } from '../bytes/binary-search.ts'
import type { WordOffsets } from '../text/terms/word-offsets.ts'
import type { TextRange } from './excerpt.ts'

/** A text in pieces, whose words were counted. Words do not extend across pieces. */
export interface CountedPieces {
  counts: {
    /** Number of UTF-16 units of each piece. */
    units: readonly number[]
    /** Number of words of each piece. */
    words: readonly number[]
    /** True if a word of the text may be spelled out, see {@link WordOffsets}. */
    hasSpelledOut: boolean
  }
  /** Returns a piece with its words. */
  read: (index: number) => { text: string; words: WordOffsets | undefined }
}

/** A piece that was read. */
interface CountedPiece {
  text: string
  words: WordOffsets
  /** Offset of the piece in the part. */
  start: number
  /** Number of words of the part before the piece. */
  before: number
}

/** Several pieces of a text in a row. Only those are read that hold what is asked for. Offsets and numbers of words count from the first one. */
export class CountedText {
  /** Number of UTF-16 units. */
  readonly length: number
  /** Number of words. */
  readonly words: number
  readonly #text: CountedPieces
  readonly #first: number
  /** For each piece, its offset and the number of words before it; one more for the end. */
  readonly #starts: number[] = [0]
  readonly #before: number[] = [0]
  readonly #read: (CountedPiece | undefined)[] = []

  /** @param from - the first piece. @param to - the piece after the last one. */
  constructor(text: CountedPieces, from: number, to: number) {
    this.#text = text
    this.#first = from
    for (let index = from; index < to; index++) {
      this.#starts.push(this.#starts.at(-1)! + text.counts.units[index]!)
      this.#before.push(this.#before.at(-1)! + text.counts.words[index]!)
    }
    this.length = this.#starts.at(-1)!
    this.words = this.#before.at(-1)!
  }

  /** Returns the number of the first word that begins at an offset or after it. */
  wordFrom(offset: number): number {
    if (offset >= this.length) return this.words
    const { words, start, before } = this.#piece(pieceOf(this.#starts, offset))
    return before + words.from(offset - start)
  }

  /** Finds the offsets of the words from one number to another: see `WordOffsets.read`. */
  readEdges(from: number, to: number, out: Uint32Array): void {
    for (let word = from; word < to; ) {
      const index = pieceOf(this.#before, word)
      const { words, start, before } = this.#piece(index)
      const end = Math.min(to, this.#before[index + 1]!)
      const edges = out.subarray(2 * (word - from), 2 * (end - from))
      words.read(word - before, end - before, edges)
      if (start > 0) for (let i = 0; i < edges.length; i++) edges[i]! += start
      word = end
    }
  }

  slice(from: number, to: number): string {
    const { text, start } = this.around({ start: from, end: to }, 0)
    return text.slice(from - start, to - start)
  }

  /** Returns the pieces with a range and at least `units` units before and after it, as far as there are any, and the offset of their text. */
  around(range: TextRange, units: number): { text: string; start: number } {
    const last = Math.max(0, this.length - 1)
    const from = pieceOf(this.#starts, Math.min(last, Math.max(0, range.start - units)))
    const to = pieceOf(this.#starts, Math.min(last, range.end + units))
    const { text, start } = this.#piece(from)
    let joined = text
    for (let index = from + 1; index <= to; index++) joined += this.#piece(index).text
    return { text: joined, start }
  }

  #piece(index: number): CountedPiece {
    const known = this.#read[index]
    if (known) return known
    const { text, words } = this.#text.read(this.#first + index)
    const start = this.#starts[index]!
    const before = this.#before[index]!
    if (text.length !== this.#starts[index + 1]! - start || words?.count !== this.#before[index + 1]! - before)
      throw new AsofError('ASOF_STORE_CORRUPT', 'a piece of a text has another length than its body says')
    const piece = { text, words, start, before }
    this.#read[index] = piece
    return piece
  }
}

/** Returns the last piece whose start is at or before a place. @param starts - ascending; the last one is the end. */
function pieceOf(starts: readonly number[], place: number): number {
  return Math.max(0, upperBound(starts, starts.length - 1, place) - 1)
}
