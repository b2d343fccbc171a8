import type { ScannedPattern } from '../../text/term-scanner.ts'

/** Terms that a `prefix*` or `fuzzy~` of a query stands for. Plain data, so that it crosses threads. */
export interface TermPattern {
  /** As the query writes it, folded. */
  text: string
  /** Where it stands in the query, a UTF-16 offset. */
  at: number
  /** What its terms begin with, the field's prefix before. */
  begins: string
  /** A term that counts too although it may begin otherwise: the stem of the prefix. */
  also?: string
  /** The terms are no more than so many edits from a word, the field's prefix before it; else all that begin so. */
  fuzzy?: { word: string; edits: number }
  /** Whether only title words count. */
  title: boolean
  /** Whether its terms are words of the text, which score and are highlighted. */
  scores: boolean
}

/** Tells whether a term is one of a pattern's. */
export type TermTest = (term: string) => boolean

export function testOf({ begins, also, fuzzy }: TermPattern): TermTest {
  if (!fuzzy) return term => term.startsWith(begins) || term === also
  const { word, edits } = fuzzy
  return term => term.startsWith(begins) && isWithin(term, word, edits)
}

/** The pattern as a scanner of texts takes it. */
export function scannedPattern(pattern: TermPattern): ScannedPattern {
  const { begins, also } = pattern
  return {
    beginnings: also === undefined || also.startsWith(begins) ? [begins] : [begins, also],
    matches: testOf(pattern),
  }
}

/** Rows of the distance matrix, for terms up to 64 units and a field's prefix. */
const rows = [new Uint8Array(128), new Uint8Array(128), new Uint8Array(128)]

/**
 * Whether `edits` insertions, deletions, replacements and swaps of neighbours make one string of the other (optimal
 * string alignment: no unit is edited twice). Counts UTF-16 units; neither string may have over 127.
 */
export function isWithin(a: string, b: string, edits: number): boolean {
  if (Math.abs(a.length - b.length) > edits) return false
  let [before, previous, current] = rows
  for (let j = 0; j <= b.length; j++) previous[j] = j
  for (let i = 1; i <= a.length; i++) {
    current[0] = i
    let least = i
    const unit = a.charCodeAt(i - 1)
    for (let j = 1; j <= b.length; j++) {
      const other = b.charCodeAt(j - 1)
      let best = previous[j - 1] + (unit === other ? 0 : 1)
      if (previous[j] + 1 < best) best = previous[j] + 1
      if (current[j - 1] + 1 < best) best = current[j - 1] + 1
      if (i > 1 && j > 1 && unit === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other && before[j - 2] + 1 < best)
        best = before[j - 2] + 1
      current[j] = best
      if (best < least) least = best
    }
    // A later row may still come from the one before this by a swap, at one edit more.
    if (least > edits + 1) return false
    ;[before, previous, current] = [previous, current, before]
  }
  return previous[b.length] <= edits
}
