import { VarintCursor } from '../bytes/varint-cursor.ts'
import type { GroupPostings } from '../ingest/analyzed-group.ts'
import type { CommitPlan } from '../ingest/build-commit.ts'

/** The terms of a capture, and where they are in it. */
export interface TermOccurrences {
  terms: readonly string[]
  /**
   * For each term, one after another: its frequency, the number of its positions, and these. An occurrence in the title counts three times in
   * the frequency. The positions are ascending, first those in the title; a value has none.
   */
  numbers: Uint32Array
}

/** The terms of new captures, as an outside index of terms needs them. */
export class AddedTerms {
  readonly #byCapture = new Map<number, TermOccurrences>()
  readonly #firstAt = new Map<string, number>()

  /** Each term with the earliest instant at which a capture has it, epoch ms. */
  get firstAt(): ReadonlyMap<string, number> {
    return this.#firstAt
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
    const terms = groups.map((group, g) => occurrencesIn(group, firstAt[g]!, this.#firstAt))
    for (const [ordinal, group] of groupOf.entries())
      this.#byCapture.set(columns.captureIds[ordinal]!, terms[group]![indexOf[ordinal]!]!)
  }
}

/**
 * Returns the terms of each capture of a group.
 *
 * @param instants - of each capture; infinite for those that are not written, whose terms are left out.
 * @param firstAt - gets for each term the earliest of the instants of the captures that have it.
 */
export function occurrencesIn(
  group: GroupPostings,
  instants: Float64Array,
  firstAt: Map<string, number>,
): TermOccurrences[] {
  const { captures, terms, termEnds, postings, postingEnds } = group
  const names = Buffer.from(terms.buffer, terms.byteOffset, terms.length)
  const found = Array.from({ length: captures }, (): string[] => [])
  const ends = endsOf(group)
  const numbers = new Uint32Array(ends.at(-1) ?? 0)
  // Of each capture the next place to write at.
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
      // The first byte is the next-word signature.
      if (length > 0) cursor.at++
      for (let position = 0; cursor.at < end; at++) {
        position += cursor.next()
        numbers[at] = position
      }
      numbers[from] = frequency
      numbers[from + 1] = at - from - 2
      next[index] = at
      if (instants[index] === Number.POSITIVE_INFINITY) continue
      found[index]!.push(term)
      if (instants[index]! < first) first = instants[index]!
    }
    if (first < (firstAt.get(term) ?? Number.POSITIVE_INFINITY)) firstAt.set(term, first)
  }
  return found.map((terms, index) => ({ terms, numbers: numbers.subarray(ends[index], next[index]) }))
}

/** For each capture of a group the number of entries of {@link TermOccurrences.numbers} that the captures before it have, and their sum. */
function endsOf({ captures, postings, postingEnds }: GroupPostings): Uint32Array {
  const ends = new Uint32Array(captures + 1)
  const cursor = new VarintCursor(postings)
  for (const postingEnd of postingEnds)
    for (let index = -1; cursor.at < postingEnd; ) {
      index += cursor.next() + 1
      cursor.next()
      const length = cursor.next()
      let positions = 0
      // The last byte of a number is the one below 128. The first byte is the next-word signature.
      for (let at = cursor.at + 1; at < cursor.at + length; at++) if (postings[at]! < 128) positions++
      ends[index + 1]! += 2 + positions
      cursor.at += length
    }
  for (let index = 0; index < captures; index++) ends[index + 1]! += ends[index]!
  return ends
}
