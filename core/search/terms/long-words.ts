import { upperBound } from '../../bytes/binary-search.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import { frequencyOfEntry, type SegmentView } from '../../postings/segment-view.ts'
import type { Segment } from '../../segment/segment.ts'
import { MAX_COMPOUND, MIN_COMPOUND } from './compound-part.ts'

const NEW_LINE = 10
const A = 97
const Z = 122

/** Number of words in a block. */
const BLOCK_WORDS = 256
const LETTERS = 26
const TRIGRAM = 3

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

  constructor({ dictionary }: Segment) {
    const pieces: Buffer[] = []
    const starts: number[] = []
    const captures: number[] = []
    let bytes = 0
    const cursor = dictionary.cursorFrom('a', () => false)
    while (cursor.next()) {
      checkSearchTime()
      const { term, termBytes } = cursor
      if (term[0]! > Z) break
      if (termBytes < MIN_COMPOUND || termBytes > MAX_COMPOUND || !isOfLatinLetters(term, termBytes)) continue
      const line = Buffer.allocUnsafe(termBytes + 1)
      line.set(term.subarray(0, termBytes))
      line[termBytes] = NEW_LINE
      starts.push(bytes)
      captures.push(cursor.count)
      bytes += line.length
      pieces.push(line)
    }
    this.#lines = Buffer.concat(pieces)
    this.#starts = Uint32Array.from([...starts, bytes])
    this.#captures = Uint32Array.from(captures)
    this.#blocks = Math.ceil(captures.length / BLOCK_WORDS)
    this.#rowWords = Math.ceil(this.#blocks / 32)
    this.#rows = new Uint32Array(LETTERS ** TRIGRAM * this.#rowWords)
    for (let block = 0; block < this.#blocks; block++) this.#note(block)
  }

  /** Sets the bits of a block. */
  #note(block: number): void {
    const lines = this.#lines
    const bit = 1 << (block & 31)
    let letters = 0
    let row = 0
    for (let at = this.#startOf(block); at < this.#startOf(block + 1); at++) {
      const letter = lines[at]!
      letters = letter === NEW_LINE ? 0 : letters + 1
      row = ((row * LETTERS) % LETTERS ** TRIGRAM) + letter - A
      if (letters === 0) row = 0
      else if (letters >= TRIGRAM) this.#rows[row * this.#rowWords + (block >>> 5)]! |= bit
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
    const { segment, ordinalEnd } = view
    const allStand = ordinalEnd === segment.captures && !segment.hasEnded
    for (const [term, count] of longWords(segment).withPart(letters)) {
      checkSearchTime()
      if (!mayBe(term)) continue
      const entry = allStand ? undefined : segment.dictionary.find(term)
      const captures = entry ? frequencyOfEntry(view, entry) : count
      if (captures > 0) yield [term, captures]
    }
  }
}
