import { hasEnding } from '../segment/positions/place.ts'
import type { TermMatch } from '../text/terms/term-scanner.ts'

/** The quoted phrases of a query, in terms of its scanner. */
export interface ScannedPhrases {
  /** The forms of all phrases: numbers of terms, their distances from the first one in words, and the endings that they may have. */
  forms: readonly (readonly { term: number; offset: number; endings?: number | undefined }[])[]
  /** The terms that the query has in phrases alone. */
  terms: ReadonlySet<number>
}

/**
 * The matches to show in texts that are shown together. A term that the query has in phrases alone is shown where it is in a phrase. If it is
 * in none in any of the texts, it is shown everywhere.
 *
 * @param texts - the matches in each text.
 */
export function shownMatches(
  texts: readonly (readonly TermMatch[])[],
  { forms, terms }: ScannedPhrases,
): readonly (readonly TermMatch[])[] {
  if (terms.size === 0) return texts
  const inPhrases = texts.map(matches => phraseMatches(matches, forms))
  const whole = new Set(inPhrases.flatMap(found => [...found].map(({ term }) => term)))
  return texts.map((matches, t) =>
    matches.filter(match => !terms.has(match.term) || !whole.has(match.term) || inPhrases[t]!.has(match)),
  )
}

/** The matches that are a part of a phrase. */
function phraseMatches(matches: readonly TermMatch[], forms: ScannedPhrases['forms']): Set<TermMatch> {
  const byTerm = new Map<number, Map<number, TermMatch>>()
  for (const match of matches) {
    const byPosition = byTerm.get(match.term) ?? new Map<number, TermMatch>()
    byTerm.set(match.term, byPosition.set(match.position, match))
  }
  const found = new Set<TermMatch>()
  for (const form of forms)
    for (const from of byTerm.get(form[0]!.term)?.keys() ?? []) {
      const parts = form.map(({ term, offset, endings }) => {
        const part = byTerm.get(term)?.get(from + offset)
        return part && (endings === undefined || hasEnding(part.ending, endings)) ? part : undefined
      })
      if (parts.every(part => part !== undefined)) for (const part of parts) found.add(part)
    }
  return found
}
