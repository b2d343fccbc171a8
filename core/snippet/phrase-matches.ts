import { hasEnding } from '../segment/positions/place.ts'
import type { TermMatch } from '../text/terms/term-scanner.ts'

/** The quoted phrases of a query, in terms of its scanner. */
export interface ScannedPhrases {
  /** The forms of all phrases: for each word its term, its distance from the first word, and the endings that it may have. */
  forms: readonly (readonly { term: number; offset: number; endings?: number | undefined }[])[]
  /** The terms that the query has only in phrases. At least one. */
  terms: ReadonlySet<number>
}

/**
 * Returns, for each of several texts that are shown together, the matches to highlight. A term that the query has only in phrases is
 * highlighted only where it is a part of a phrase. If no text has it in a phrase, it is highlighted everywhere.
 *
 * @param texts - the matches in each text.
 * @param phrases - the quoted phrases of the query. Undefined if it has none: then all matches are highlighted.
 */
export function shownMatches(
  texts: readonly (readonly TermMatch[])[],
  phrases: ScannedPhrases | undefined,
): readonly (readonly TermMatch[])[] {
  if (!phrases) return texts
  const { forms, terms } = phrases
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
