import { clip } from '@asof/extract/characters'
import type { WordChange } from './nearest-passage.ts'
import type { QuoteContradiction, QuoteDifference } from './quote-verdict.ts'
import { spelled, type TextWords } from './quote-words.ts'

/** Maximum number of UTF-16 units of a passage that a verdict shows, and of the page's side of its differences. A word may have millions. */
export const MAX_SHOWN_UNITS = 10_000

/** Writes changes as the quote and the text spell them. Those after the first {@link MAX_SHOWN_UNITS} units of the text are left out. */
export function differencesOf(
  changes: readonly WordChange[],
  contradictions: readonly (QuoteContradiction | undefined)[],
  quote: TextWords,
  text: TextWords,
): QuoteDifference[] {
  const differences: QuoteDifference[] = []
  let shown = 0
  for (const [i, change] of changes.entries()) {
    if (shown >= MAX_SHOWN_UNITS) break
    const page = clip(spelled(text, change.text), MAX_SHOWN_UNITS - shown)
    shown += page.length
    const difference: QuoteDifference = { quote: spelled(quote, change.quote), page }
    if (contradictions[i]) difference.contradicts = contradictions[i]
    differences.push(difference)
  }
  return differences
}
