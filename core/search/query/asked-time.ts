import { parseTextDate } from '../../dates/date-text.ts'

/** The time that a query is about: a day it names, epoch ms, or whatever is newest. */
export type AskedTime = number | 'newest'

const NEWEST = /(?<![\p{L}\p{N}])(?:latest|newest|most recent|recent|today['’]?s?|breaking news)(?![\p{L}\p{N}])/iu
/** A date is looked for in so many characters at either end: nobody writes one in the middle of a long text for a filter. */
const END_CHARS = 200

/** Reads which time a query asks for; `undefined` when it names no day and asks for nothing new. A year alone is a word. */
export function askedTime(text: string): AskedTime | undefined {
  if (/\d{4}/.test(text)) {
    const date =
      parseTextDate(text.slice(0, END_CHARS), 'month-first') ?? parseTextDate(text.slice(-END_CHARS), 'month-first')
    if (date) return Date.parse(date.iso.slice(0, 10))
  }
  return NEWEST.test(text) ? 'newest' : undefined
}
