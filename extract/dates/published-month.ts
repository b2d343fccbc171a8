import { isCoarse, parseDeclaredDate } from '../written-dates/date-text.ts'
import type { DateSearch } from './date-search.ts'
import { modifiedWords, type PublishedDate, publishedWords, withSource } from './published-date.ts'

const MAX_LINE_CHARS = 100
const MAX_TEXTS = 4000
const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/
/** What may stand between `Published` and the month: the rest of the word, `date`, a preposition, a colon. */
const BETWEEN = /^[\p{L}\p{M}]*(?:\s+(?:date|on|in|im|en|le|am|em|w|v|i))?\s*[:：–—-]?\s*/iu
/** A month with its year at the start of a text, in either order, by name or by number. */
const MONTH =
  /^(?:[\p{L}\p{M}]{3,20}\.?,?\s+(?:de\s+|del\s+)?\d{4}|\d{4}\s+[\p{L}\p{M}]{3,20}|\d{1,2}\/\d{4}|\d{4}-\d{2})(?![\p{L}\d/-])/u

/** Returns the month that a text labels as that of the publication: `Published: September 2023`. */
export function fromPublishedMonth({ tree, boilerplate, orderAt }: DateSearch): PublishedDate | undefined {
  let label = ''
  let seen = 0
  for (const node of tree.nodes) {
    if (node.tag !== '' || node.text.trim() === '' || node.parent!.kind.isUnseen) continue
    if (++seen > MAX_TEXTS) return undefined
    const text = node.text.trim()
    const before = label
    label = text.length <= MAX_LINE_CHARS ? text : ''
    if (label === '' || boilerplate[node.index]! > 0 || !YEAR.test(text)) continue
    const line = publishedWords.test(text) ? text : `${before} ${text}`
    const word = publishedWords.exec(line)
    if (!word || word.index > MAX_LINE_CHARS / 2 || modifiedWords.test(line)) continue
    const value = MONTH.exec(line.slice(word.index + word[0].length).replace(BETWEEN, ''))
    const date = value && parseDeclaredDate(value[0], orderAt(node))
    if (date && isCoarse(date)) return withSource(date, 'text')
  }
  return undefined
}
