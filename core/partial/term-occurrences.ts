import { VarintCursor } from '../bytes/varint-cursor.ts'
import type { GroupPostings } from '../ingest/analyzed-group.ts'
import type { CommitPlan } from '../ingest/build-commit.ts'
import { positionOf } from '../segment/positions/place.ts'

/** The terms of a capture, and where they are in it. */
export interface TermOccurrences {
  terms: readonly string[]
  /**
   * For each term, one after another: its frequency, the number of its positions, and the positions. An occurrence in the title counts three
   * times in the frequency. The positions are ascending, first those in the title. The term of a field's value has no positions.
   */
  numbers: Uint32Array
}

/** The terms of captures that were analyzed together. */
export interface GroupTerms {
  /** Each term once. */
  terms: readonly string[]
  /** For each term the earliest instant at which one of the captures has it, epoch ms; infinite if none of them was written. */
  firstAt: Float64Array
}

/** The terms of new captures, as an index of terms in another system needs them. */
export class AddedTerms {
  readonly #byCapture = new Map<number, TermOccurrences>()
  readonly #groups: GroupTerms[] = []

  /** The terms of all captures. A term may be in several groups. */
  get groups(): readonly GroupTerms[] {
    return this.#groups
  }

  /** The terms of a capture; undefined if it is not new. */
  of(captureId: number): TermOccurrences | undefined {
    return this.#byCapture.get(captureId)
  }

  /** Reads the terms of the captures of a commit. To be called before its segment is built, which frees their buffers. */
  read({ groups, groupOf, indexOf, columns }: CommitPlan): void {
    const firstAt = groups.map(({ captures }) => new Float64Array(captures).fill(Number.POSITIVE_INFINITY))
    for (const [ordinal, group] of groupOf.entries()) {
      const instants = firstAt[group]!
      const index = indexOf[ordinal]!
      instants[index] = Math.min(instants[index]!, columns.acquiredAt[ordinal]!)
    }
    const read = groups.map((group, g) => occurrencesIn(group, firstAt[g]!))
    this.#groups.push(...read)
    for (const [ordinal, group] of groupOf.entries())
      this.#byCapture.set(columns.captureIds[ordinal]!, read[group]!.captures[indexOf[ordinal]!]!)
  }
}

/**
 * Returns the terms of a group, and those of each of its captures.
 *
 * @param instants - the instant of each capture; infinite for a capture that is not written. Such a capture has no terms in the result.
 */
export function occurrencesIn(
  group: GroupPostings,
  instants: Float64Array,
): GroupTerms & { captures: TermOccurrences[] } {
  const { captures, terms: bytes, termEnds, postings, postingEnds } = group
  const names = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const terms = new Array<string>(termEnds.length)
  const firstAt = new Float64Array(termEnds.length)
  const found = Array.from({ length: captures }, (): string[] => [])
  const ends = endsOf(group)
  const numbers = new Uint32Array(ends.at(-1) ?? 0)
  // For each capture, the index in `numbers` at which its next term is written.
  const next = ends.slice(0, captures)
  const cursor = new VarintCursor(postings)
  for (let t = 0, termStart = 0; t < termEnds.length; t++) {
    const term = names.toString('utf8', termStart, termEnds[t])
    termStart = termEnds[t]!
    let first = Number.POSITIVE_INFINITY
    for (let index = -1; cursor.at < postingEnds[t]!; ) {
      index += cursor.next() + 1
      const frequency = cursor.next() + 1
      const length = cursor.next()
      const end = cursor.at + length
      const from = next[index]!
      let at = from + 2
      // The first byte of a posting's positions is the next-word signature.
      if (length > 0) cursor.at++
      for (let place = 0; cursor.at < end; at++) {
        place += cursor.next()
        numbers[at] = positionOf(place)
      }
      numbers[from] = frequency
      numbers[from + 1] = at - from - 2
      next[index] = at
      if (instants[index] === Number.POSITIVE_INFINITY) continue
      found[index]!.push(term)
      if (instants[index]! < first) first = instants[index]!
    }
    terms[t] = term
    firstAt[t] = first
  }
  const occurrences = found.map((terms, i) => ({ terms, numbers: numbers.subarray(ends[i], next[i]) }))
  return { terms, firstAt, captures: occurrences }
}

/**
 * Returns for each capture of a group the index at which its part of the common array of {@link TermOccurrences.numbers} begins, and behind
 * these the length of the array.
 */
function endsOf({ captures, postings, postingEnds }: GroupPostings): Uint32Array {
  const ends = new Uint32Array(captures + 1)
  const cursor = new VarintCursor(postings)
  for (const postingEnd of postingEnds)
    for (let index = -1; cursor.at < postingEnd; ) {
      index += cursor.next() + 1
      cursor.next()
      const length = cursor.next()
      let positions = 0
      // Each position is a varint, whose last byte is below 128. The first byte is the next-word signature.
      for (let at = cursor.at + 1; at < cursor.at + length; at++) if (postings[at]! < 128) positions++
      ends[index + 1]! += 2 + positions
      cursor.at += length
    }
  for (let index = 0; index < captures; index++) ends[index + 1]! += ends[index]!
  return ends
}
