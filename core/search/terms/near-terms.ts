import { isWithinEdits } from '@asof/extract/characters'
import { checkSearchTime } from '../../postings/search-time.ts'
import { frequencyOfEntry, type SegmentView } from '../../postings/segment-view.ts'
import type { TermEntry } from '../../segment/dictionary/dictionary-format.ts'
import type { Segment } from '../../segment/segment.ts'
import { compareTerms } from '../../text/terms/term-bytes.ts'
import type { NearTerm } from '../collection/collection.ts'
import { FuzzyWalk } from '../conditions/fuzzy-walk.ts'

/**
 * The terms within `edits` edits of `term` that begin with the same letter and that some capture contains as of the instant
 * of the views. Terms that only later captures contain are left out, so later captures never change an answer about the past.
 */
export function nearTermsIn(views: readonly SegmentView[], term: string, edits: number): NearTerm[] {
  const captures = new Map<string, number>()
  for (const view of views)
    for (const entry of entriesNear(view.segment, term, edits)) {
      checkSearchTime()
      const frequency = frequencyOfEntry(view, entry)
      if (frequency > 0) captures.set(entry.term, (captures.get(entry.term) ?? 0) + frequency)
    }
  return [...captures].map(([near, frequency]) => ({
    term: near,
    edits: editsBetween(near, term),
    captures: frequency,
  }))
}

/** The edit distance of two words, or {@link MAX_EDITS} + 1 if it is higher than {@link MAX_EDITS}. */
export function editsBetween(a: string, b: string): number {
  for (let edits = 0; edits <= MAX_EDITS; edits++) if (isWithinEdits(a, b, edits)) return edits
  return MAX_EDITS + 1
}

const MAX_EDITS = 3

function* entriesNear(segment: Segment, term: string, edits: number): Generator<TermEntry> {
  const walk = new FuzzyWalk(term, edits)
  const initial = String.fromCodePoint(term.codePointAt(0) ?? 0)
  const from = Buffer.from(initial)
  const cursor = segment.dictionary.cursorFrom(
    initial,
    beginning => beginning.startsWith(initial) && walk.rulesOut(beginning),
  )
  while (cursor.next()) {
    const order = compareTerms(cursor.term, 0, Math.min(cursor.termBytes, from.length), from, 0, from.length)
    if (order > 0) break
    if (order === 0 && walk.isWithin(cursor.term, cursor.termBytes)) yield cursor.entry()
  }
}
