import type { DatePrecision } from '../page.ts'
import { monthOf } from './month-names.ts'

/** A date as written: the calendar day and offset are kept, nothing is converted. */
export interface WrittenDate {
  /** As in `ExtractedPage.publishedAt`. */
  iso: string
  precision: DatePrecision
}

/** Earlier dates on web pages are software defaults or the subject's date, not the page's. */
const MIN_YEAR = 1990
const MAX_YEAR = 2100
const MAX_CHARS = 200

/** Whether `03/04/2020` is read as 4 March; other orders are told apart by their separators. */
export type DayOrder = 'day-first' | 'month-first'

/**
 * Reads a machine-written date: ISO 8601 in its usual misspellings, RFC 5322, epoch seconds or milliseconds.
 * `undefined` when it is none, impossible or absurd.
 */
export function parseMachineDate(value: string): WrittenDate | undefined {
  const text = value.trim().slice(0, MAX_CHARS)
  const iso =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:T|t|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?/.exec(
      text,
    )
  if (iso) return written(+iso[1], +iso[2], +iso[3], clockOf(iso[4], iso[5], iso[6], iso[7], iso[8]))
  const compact = /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2}):?(\d{2})(?::?(\d{2}))?(Z)?)?(?!\d)/.exec(text)
  if (compact)
    return written(
      +compact[1],
      +compact[2],
      +compact[3],
      clockOf(compact[4], compact[5], compact[6], undefined, compact[7]),
    )
  const month = /^(\d{4})-(\d{2})$/.exec(text)
  if (month) return written(+month[1], +month[2], undefined, '')
  if (/^\d{10}(?:\d{3})?$/.test(text)) {
    const at = new Date(text.length === 10 ? +text * 1000 : +text)
    return written(at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate(), `${at.toISOString().slice(10, 19)}Z`)
  }
  return undefined
}

/**
 * Finds the first date written for people: `5 May 2020`, `Mai 5, 2020`, `05.05.2020`, `2020年5月5日` and the like, month
 * names in some forty languages, with the clock time that follows directly. Reads at most 200 characters.
 */
export function parseTextDate(value: string, order: DayOrder): WrittenDate | undefined {
  const text = value.slice(0, MAX_CHARS).normalize('NFKC')
  const machine = /(?<!\d)\d{4}-\d{1,2}-\d{1,2}(?!\d)/.exec(text)
  if (machine) {
    const date = parseMachineDate(text.slice(machine.index))
    if (date) return date
  }
  const yearFirst = /(?<![\d/.-])(\d{4})\s?(?:[/.]|年|년)\s?(\d{1,2})\s?(?:[/.]|月|월)\s?(\d{1,2})(?![\d])/.exec(text)
  if (yearFirst) return written(+yearFirst[1], +yearFirst[2], +yearFirst[3], clockAfter(text, yearFirst))
  const dayMonth =
    /(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?\s{0,3}(?:de\s|d['’]|of\s|-|\/)?\s?(\p{L}[\p{L}\p{M}]{1,14})\.?,?\s{0,3}(?:de[l]?\s|-|\/)?\s?'?(\d{4})(?!\d)/u.exec(
      text,
    )
  if (dayMonth) {
    const month = monthOf(dayMonth[2])
    if (month) return written(+dayMonth[3], month, +dayMonth[1], clockAfter(text, dayMonth))
  }
  const monthDay = /(\p{L}[\p{L}\p{M}]{1,14})\.?\s{0,3}(\d{1,2})(?:st|nd|rd|th|\.)?,?\s{0,3}(\d{4})(?!\d)/u.exec(text)
  if (monthDay) {
    const month = monthOf(monthDay[1])
    if (month) return written(+monthDay[3], month, +monthDay[2], clockAfter(text, monthDay))
  }
  const yearMonthDay = /(?<!\d)(\d{4})\.?,?\s{1,3}(\p{L}[\p{L}\p{M}]{1,14})\s{1,3}(\d{1,2})(?!\d)/u.exec(text)
  if (yearMonthDay) {
    const month = monthOf(yearMonthDay[2])
    if (month) return written(+yearMonthDay[1], month, +yearMonthDay[3], clockAfter(text, yearMonthDay))
  }
  const numeric = /(?<![\d/.-])(\d{1,2})\s?([/.-])\s?(\d{1,2})\s?\2\s?(\d{4})(?!\d)/.exec(text)
  if (numeric) {
    const [first, second] = [+numeric[1], +numeric[3]]
    const monthFirst = second > 12 || (first <= 12 && numeric[2] === '/' && order === 'month-first')
    const date = monthFirst ? [first, second] : [second, first]
    return written(+numeric[4], date[0], date[1], clockAfter(text, numeric))
  }
  return shortDate(text, order)
}

const MAX_SHORT_DATE_CHARS = 40

/** `31.10.23` or `10/31/23`, in a text that holds little else: in longer ones it may be a version or a score. */
function shortDate(text: string, order: DayOrder): WrittenDate | undefined {
  const trimmed = text.trim()
  if (trimmed.length > MAX_SHORT_DATE_CHARS) return undefined
  const short = /(?<![\d/.-])(\d{1,2})([./])(\d{1,2})\2(\d{2})(?![\d/.-]*\d)/.exec(trimmed)
  if (!short) return undefined
  const [first, second] = [+short[1], +short[3]]
  const monthFirst = second > 12 || (first <= 12 && short[2] === '/' && order === 'month-first')
  const date = monthFirst ? [first, second] : [second, first]
  return written(2000 + +short[4], date[0], date[1], clockAfter(trimmed, short))
}

/** A date in the path of a URL: `/2020/05/31/`, `/2020-05-31-title`, `/31-05-2020-title`, `/20200531/`; or to the month, `/2020/05/`. */
export function parseUrlDate(url: string): WrittenDate | undefined {
  const path = URL.parse(url)?.pathname.slice(0, 500) ?? ''
  const day = /(?<!\d)((?:19|20)\d{2})[/_-](\d{1,2})[/_-](\d{1,2})(?!\d)/.exec(path)
  if (day) {
    const date = written(+day[1], +day[2], +day[3], '')
    if (date) return date
  }
  const dayFirst = /(?<!\d)(\d{2})[_-](\d{2})[_-]((?:19|20)\d{2})(?!\d)/.exec(path)
  if (dayFirst && +dayFirst[1] > 12) return written(+dayFirst[3], +dayFirst[2], +dayFirst[1], '')
  const compact = /(?<!\d)(20\d{2})(\d{2})(\d{2})(?!\d)/.exec(path)
  if (compact) {
    const date = written(+compact[1], +compact[2], +compact[3], '')
    if (date) return date
  }
  const words = /\/((?:19|20)\d{2})\/([a-z]{3,9})\/(\d{1,2})(?!\d)/i.exec(path)
  const named = words && monthOf(words[2])
  if (words && named) return written(+words[1], named, +words[3], '')
  const month = /\/((?:19|20)\d{2})[/-](\d{1,2})\//.exec(path)
  return month ? written(+month[1], +month[2], undefined, '') : undefined
}

function clockAfter(text: string, match: RegExpExecArray): string {
  const rest = text.slice(match.index + match[0].length, match.index + match[0].length + 40)
  const clock =
    /^日?[\s,·|–-]{0,4}(?:um|at|as|às|a las|alle|kl\.?|o|à|в|T)?\s{0,2}(\d{1,2})[:.h](\d{2})(?::(\d{2}))?(?!\d)\s?([ap]\.?m\.?(?![\p{L}]))?\s?(Z|UTC|GMT|[+-]\d{2}:?\d{2})?/iu.exec(
      rest,
    )
  if (!clock) return ''
  let hour = +clock[1]
  if (clock[4]) {
    if (hour < 1 || hour > 12) return ''
    hour = (hour % 12) + (clock[4].toLowerCase().startsWith('p') ? 12 : 0)
  }
  return clockOf(String(hour), clock[2], clock[3], undefined, clock[5])
}

/** `THH:MM[:SS[.sss]][offset]`; empty for no clock or an impossible one. */
function clockOf(
  hour: string | undefined,
  minute: string | undefined,
  second: string | undefined,
  fraction: string | undefined,
  offset: string | undefined,
): string {
  if (hour === undefined || minute === undefined || +hour > 23 || +minute > 59 || +(second ?? 0) > 59) return ''
  const seconds = second === undefined ? '' : `:${second}${fraction ? `.${fraction.slice(0, 3).padEnd(3, '0')}` : ''}`
  return `T${hour.padStart(2, '0')}:${minute}${seconds}${offsetOf(offset)}`
}

function offsetOf(offset: string | undefined): string {
  if (offset === undefined) return ''
  if (/^(?:z|utc|gmt)$/i.test(offset)) return 'Z'
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0')
  if (+digits.slice(0, 2) > 14 || +digits.slice(2) > 59) return ''
  return `${offset[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}

function written(year: number, month: number, day: number | undefined, clock: string): WrittenDate | undefined {
  if (year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > 12) return undefined
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
  if (day !== undefined && (day < 1 || day > days)) return undefined
  const date = `${year}-${String(month).padStart(2, '0')}-${String(day ?? 1).padStart(2, '0')}`
  if (day === undefined) return { iso: date, precision: 'month' }
  if (clock === '') return { iso: date, precision: 'day' }
  const withSeconds = clock.replace(/^(T\d\d:\d\d)(?!:)/, '$1:00')
  return { iso: date + withSeconds, precision: clock === withSeconds ? 'second' : 'minute' }
}
