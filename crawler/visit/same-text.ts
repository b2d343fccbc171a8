import { changeShare, wordsOf } from './change-share.ts'
import { textHashOf } from './page-content.ts'

// As searches leave out near-duplicates: at least 32 different words, nine tenths of them in common (`NearDuplicates`).
const minWords = 32
const maxChange = 0.1

/**
 * True if two pages have the same text: equal except for case, white space and link targets, or nearly equal, with the
 * same numbers, signs and units. False for texts that are too short to identify a page.
 */
export function isSameText(a: string, b: string): boolean {
  const hash = textHashOf(a)
  if (hash === undefined || valuesOf(a) !== valuesOf(b)) return false
  return hash === textHashOf(b) || (new Set(wordsOf(a)).size >= minWords && changeShare(a, b) <= maxChange)
}

/** A number with its sign and its unit or the word behind it, or another sign that carries meaning. */
const value = /[<>≤≥≠=±~+\-−–$€£¥]?\s?\p{N}[\p{N}.,:/]{0,30}\s?(?:[%‰°€£¥]|\p{L}{1,20})?|[<>≤≥≠±✓✔✗✘☑☒%°#]|\+\+/gu

/** Pages made from one template may differ only in a price, a date, a sign or a unit. Returns these in their order. */
function valuesOf(markdown: string): string {
  return (markdown.match(value) ?? []).join('\n')
}
