import { parseTextDate } from '@asof/extract/written-dates'

/** The time that a query is about: a day that it names (epoch ms), or `newest` if it asks for recent pages. */
export type TimeIntent = number | 'newest'

const NEWEST = /(?<![\p{L}\p{N}])(?:latest|newest|most recent|recent|today['’]?s?|breaking news)(?![\p{L}\p{N}])/iu
/**
 * Number of characters at each end of a query in which a date is looked for: dates in the middle of a long text are not a
 * time intent.
 */
const END_CHARS = 200

/**
 * Detects the time that a query asks for; `undefined` if it names no day and does not ask for recent pages. A year alone is
 * an ordinary word.
 */
export function timeIntent(text: string): TimeIntent | undefined {
  if (/\d{4}/.test(text)) {
    const date =
      parseTextDate(text.slice(0, END_CHARS), 'month-first') ?? parseTextDate(text.slice(-END_CHARS), 'month-first')
    if (date) return Date.parse(date.iso.slice(0, 10))
  }
  return NEWEST.test(text) ? 'newest' : undefined
}
