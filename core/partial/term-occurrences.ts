import { VarintCursor } from '../bytes/varint-cursor.ts'
import type { GroupPostings } from '../ingest/analyzed-group.ts'
import type { CommitPlan } from '../ingest/build-commit.ts'

/** Where a term is in a capture. */
export interface TermOccurrences {
  term: string
  /** Weighted: an occurrence in the title counts three times. */
  frequency: number
  /** Ascending: first those in the title. Empty for a value, which has no position. */
  positions: readonly number[]
}

/** The terms of new captures, as an outside index of terms needs them. */
export class AddedTerms {
  readonly #byCapture = new Map<number, readonly TermOccurrences[]>()
  readonly #firstAt = new Map<string, number>()

  /** Each term with the earliest instant at which a capture has it, epoch ms. */
  get firstAt(): ReadonlyMap<string, number> {
    return this.#firstAt
  }

  /** The terms of a capture; undefined if it is not new. */
  of(captureId: number): readonly TermOccurrences[] | undefined {
    return this.#byCapture.get(captureId)
  }

  /** Reads the terms of the captures of a commit. To be called before its segment is built, which frees them. */
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
  { captures, terms, termEnds, postings, postingEnds }: GroupPostings,
  instants: Float64Array,
  firstAt: Map<string, number>,
): TermOccurrences[][] {
  const found = Array.from({ length: captures }, (): TermOccurrences[] => [])
  const names = Buffer.from(terms.buffer, terms.byteOffset, terms.length)
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
      if (instants[index] === Number.POSITIVE_INFINITY) {
        cursor.at = end
        continue
      }
      const positions: number[] = []
      // The first byte is the next-word signature.
      if (length > 0) cursor.at++
      for (let position = 0; cursor.at < end; positions.push(position)) position += cursor.next()
      found[index]!.push({ term, frequency, positions })
      first = Math.min(first, instants[index]!)
    }
    if (first < (firstAt.get(term) ?? Number.POSITIVE_INFINITY)) firstAt.set(term, first)
  }
  return found
}
