import { upperBound } from '../../bytes/binary-search.ts'
import { ByteWriter } from '../../bytes/byte-buffer.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import { allStand, frequencyOfEntry, type SegmentView } from '../../postings/segment-view.ts'
import type { Segment } from '../../segment/segment.ts'
import { copy } from '../../segment/streams.ts'
import { MAX_COMPOUND, MIN_COMPOUND } from './compound-part.ts'

const NEW_LINE = 10
const A = 97
const Z = 122

/** Number of words in a block. */
const BLOCK_WORDS = 256
const LETTERS = 26
const TRIGRAM = 3
/** About the number of bytes that a term of a dictionary takes as a line, those that are no long words included. */
const GUESSED_LINE = 8

/**
 * The words of a segment that may be compounds: terms of Latin letters, long enough for two words, one a line. With the number of captures of
 * each, a million words take 20 MB. For each three letters, bits say which blocks of words have them, so that only blocks with all parts of a
 * word are searched (Zobel, Moffat and Sacks-Davis, VLDB 1993). For a million words they take 9 MB.
 */
class LongWords {
  readonly #lines: Buffer
  /** The offset of each word in the lines; then the end of the lines. */
  readonly #starts: Uint32Array
  /** For each word, the number of captures of the segment that have it. */
  readonly #captures: Uint32Array
  readonly #blocks: number
  /** For each three letters a row of bits, one for each block. */
  readonly #rows: Uint32Array
  readonly #rowWords: number

  constructor({ dictionary, info }: Segment) {
    const lines = new ByteWriter(info.terms * GUESSED_LINE)
    const starts = new Uint32Array(info.terms + 1)
    const captures = new Uint32Array(info.terms)
    let count = 0
    const cursor = dictionary.cursorFrom('a', () => false)
    while (cursor.next()) {
      if (count % BLOCK_WORDS === 0) checkSearchTime()
      const { term, termBytes } = cursor
      if (term[0]! > Z) break
      if (termBytes < MIN_COMPOUND || termBytes > MAX_COMPOUND || !isOfLatinLetters(term, termBytes)) continue
      captures[count++] = cursor.count
      lines.reserve(termBytes + 1)
      copy(term, 0, termBytes, lines.bytes, lines.length)
      lines.length += termBytes
      lines.u8(NEW_LINE)
      starts[count] = lines.length
    }
    this.#lines = Buffer.from(lines.finish())
    this.#starts = starts.slice(0, count + 1)
    this.#captures = captures.slice(0, count)
    this.#blocks = Math.ceil(count / BLOCK_WORDS)
    this.#rowWords = Math.ceil(this.#blocks / 32)
    this.#rows = new Uint32Array(LETTERS ** TRIGRAM * this.#rowWords)
    for (let block = 0; block < this.#blocks; block++) this.#note(block)
  }

  /** Sets the bits of a block. */
  #note(block: number): void {
    const lines = this.#lines
    const rows = this.#rows
    const rowWords = this.#rowWords
    const at = block >>> 5
    const bit = 1 << (block & 31)
    const end = this.#startOf(block + 1)
    for (let start = this.#startOf(block); start < end; start++) {
      let row = (lines[start++]! - A) * LETTERS + lines[start++]! - A
      for (let letter = lines[start]!; letter !== NEW_LINE; letter = lines[++start]!) {
        row = (row % LETTERS ** 2) * LETTERS + letter - A
        rows[row * rowWords + at]! |= bit
      }
    }
  }

  /** The offset of a block, or of the end of the last one. */
  #startOf(block: number): number {
    return this.#starts[Math.min(block * BLOCK_WORDS, this.#captures.length)]!
  }

  /**
   * The words that contain a part, ascending, each with the number of captures of the segment that have it.
   *
   * @param part - at least three Latin letters.
   */
  *withPart(part: string): Generator<[word: string, captures: number]> {
    const sought = Buffer.from(part)
    const found = new Uint32Array(this.#rowWords).fill(0xffffffff)
    let row = 0
    for (let at = 0; at < sought.length; at++) {
      row = ((row * LETTERS) % LETTERS ** TRIGRAM) + sought[at]! - A
      if (at + 1 < TRIGRAM) continue
      const start = row * this.#rowWords
      for (let w = 0; w < found.length; w++) found[w]! &= this.#rows[start + w]!
    }
    for (let w = 0; w < found.length; w++)
      for (let bits = found[w]!; bits !== 0; bits &= bits - 1) {
        const block = 32 * w + 31 - Math.clz32(bits & -bits)
        if (block < this.#blocks) yield* this.#inBlock(block, sought)
      }
  }

  *#inBlock(block: number, sought: Buffer): Generator<[word: string, captures: number]> {
    const from = this.#startOf(block)
    const lines = this.#lines.subarray(from, this.#startOf(block + 1))
    const starts = this.#starts.subarray(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS + 1)
    for (let at = lines.indexOf(sought); at >= 0; ) {
      const word = upperBound(starts, starts.length, from + at) - 1
      const end = starts[word + 1]! - from
      yield [lines.toString('latin1', starts[word]! - from, end - 1), this.#captures[block * BLOCK_WORDS + word]!]
      at = lines.indexOf(sought, end)
    }
  }
}

function isOfLatinLetters(term: Uint8Array, length: number): boolean {
  for (let at = 0; at < length; at++) if (term[at]! < A || term[at]! > Z) return false
  return true
}

/** The long words of segments that were searched for compounds. Segments are immutable. */
const known = new WeakMap<Segment, LongWords>()

/** Returns the long words of a segment. They are collected at the first call. */
export function longWords(segment: Segment): LongWords {
  let words = known.get(segment)
  if (!words) {
    words = new LongWords(segment)
    known.set(segment, words)
  }
  return words
}

/**
 * Yields the long words that contain some letters, each with the number of captures that contain it as of the instant. A word is yielded once
 * for each segment that has it, with the number of captures in that segment.
 */
export function* termsWithin(
  views: readonly SegmentView[],
  letters: string,
  mayBe: (term: string) => boolean,
): Generator<[term: string, captures: number]> {
  for (const view of views) {
    const isWhole = allStand(view)
    for (const [term, count] of longWords(view.segment).withPart(letters)) {
      checkSearchTime()
      if (!mayBe(term)) continue
      const captures = isWhole ? count : standingWith(view, term)
      if (captures > 0) yield [term, captures]
    }
  }
}

/** Number of captures with a term that stood at the instant of a view. */
function standingWith(view: SegmentView, term: string): number {
  const entry = view.segment.dictionary.find(term)
  return entry ? frequencyOfEntry(view, entry) : 0
}
