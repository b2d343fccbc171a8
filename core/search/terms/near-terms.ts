import type { TermEntry } from '../../segment/dictionary/dictionary-format.ts'
import type { Segment } from '../../segment/segment.ts'
import { isWithin } from '../../text/terms/edit-distance.ts'
import { compareTerms } from '../../text/terms/term-bytes.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import { frequencyOfEntry, type SegmentView } from '../postings/segment-view.ts'
import { FuzzyWalk } from '../webql/fuzzy-walk.ts'

/** A term that captures hold as of the cut, and that is spelt nearly like another. */
export interface NearTerm {
  term: string
  /** Edits between the two: letters put in, left out, replaced, or swapped with their neighbour. */
  edits: number
  /** Captures that hold it. */
  captures: number
}

/**
 * The terms of the vocabulary as of the views' instant that begin with the same letter as `term` and are at most so many
 * edits from it. Terms of later captures alone are none, so the past knows no word that was not written yet.
 */
export function nearTerms(views: readonly SegmentView[], term: string, edits: number): NearTerm[] {
  const captures = new Map<string, number>()
  for (const view of views)
    for (const entry of entriesNear(view.segment, term, edits)) {
      checkSearchTime()
      const holding = frequencyOfEntry(view, entry)
      if (holding > 0) captures.set(entry.term, (captures.get(entry.term) ?? 0) + holding)
    }
  return [...captures].map(([near, holding]) => ({ term: near, edits: editsBetween(near, term), captures: holding }))
}

/** Edits that make one word of the other; more than {@link MOST_EDITS} count as one more than that. */
export function editsBetween(a: string, b: string): number {
  for (let edits = 0; edits <= MOST_EDITS; edits++) if (isWithin(a, b, edits)) return edits
  return MOST_EDITS + 1
}

const MOST_EDITS = 3

function* entriesNear(segment: Segment, term: string, edits: number): Generator<TermEntry> {
  const walk = new FuzzyWalk(term, edits)
  const begins = String.fromCodePoint(term.codePointAt(0) ?? 0)
  const from = Buffer.from(begins)
  const cursor = segment.dictionary.cursorFrom(
    begins,
    beginning => beginning.startsWith(begins) && walk.isDead(beginning),
  )
  while (cursor.next()) {
    const order = compareTerms(cursor.term, 0, Math.min(cursor.termBytes, from.length), from, 0, from.length)
    if (order > 0) break
    if (order === 0 && walk.isWithin(cursor.term, cursor.termBytes)) yield cursor.entry()
  }
}
