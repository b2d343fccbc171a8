import { checkSearchTime } from '../../postings/search-time.ts'
import { frequencyOfEntry, type SegmentView } from '../../postings/segment-view.ts'
import type { Segment } from '../../segment/segment.ts'
import { MAX_COMPOUND, MIN_COMPOUND } from './compound-part.ts'

const NEW_LINE = 10
const A = 97
const Z = 122

/**
 * The words of a segment that may be compounds: terms of Latin letters, long enough for two words, one a line. They take about as many bytes as
 * the dictionary before it is compressed. A million words take 12 MB, and one pass over them takes 2 ms.
 */
class LongWords {
  readonly #lines: Buffer

  constructor({ dictionary }: Segment) {
    const pieces: Buffer[] = [Buffer.of(NEW_LINE)]
    const cursor = dictionary.cursorFrom('a', () => false)
    while (cursor.next()) {
      checkSearchTime()
      const { term, termBytes } = cursor
      if (term[0]! > Z) break
      if (termBytes < MIN_COMPOUND || termBytes > MAX_COMPOUND || !isOfLatinLetters(term, termBytes)) continue
      const line = Buffer.allocUnsafe(termBytes + 1)
      line.set(term.subarray(0, termBytes))
      line[termBytes] = NEW_LINE
      pieces.push(line)
    }
    this.#lines = Buffer.concat(pieces)
  }

  /** The words that contain a part, ascending. */
  *withPart(part: string): Generator<string> {
    const lines = this.#lines
    const sought = Buffer.from(part)
    for (let at = lines.indexOf(sought); at >= 0; ) {
      const start = lines.lastIndexOf(NEW_LINE, at) + 1
      const end = lines.indexOf(NEW_LINE, at)
      yield lines.toString('latin1', start, end)
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
  for (const view of views)
    for (const term of longWords(view.segment).withPart(letters)) {
      checkSearchTime()
      if (!mayBe(term)) continue
      const entry = view.segment.dictionary.find(term)
      const captures = entry ? frequencyOfEntry(view, entry) : 0
      if (captures > 0) yield [term, captures]
    }
}
