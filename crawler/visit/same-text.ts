import { changeShare, wordsOf } from './change-share.ts'
import { textHashOf } from './page-content.ts'

// As searches leave out near-duplicates: at least 32 different words, nine tenths of them in common (`NearDuplicates`).
const minWords = 32
const maxChange = 0.1

/**
 * True if two pages have the same text: equal except for case, white space and link targets, or nearly equal with the
 * same numbers. False for texts that are too short to identify a page.
 */
export function isSameText(a: string, b: string): boolean {
  const hash = textHashOf(a)
  if (hash === undefined) return false
  if (hash === textHashOf(b)) return true
  return (
    new Set(wordsOf(a)).size >= minWords &&
    changeShare(a, b) <= maxChange &&
    numbersOf(a).join() === numbersOf(b).join()
  )
}

/** Pages made from one template may differ only in a price or a date. */
function numbersOf(markdown: string): string[] {
  return wordsOf(markdown)
    .filter(word => /\p{N}/u.test(word))
    .sort()
}
