import type { DatePrecision } from '../page.ts'
import { commonYear, gregorianDay, isPersianYear } from './calendars.ts'
import { monthOf } from './month-names.ts'
import { hasNativeDigits, withAsciiDigits } from './number-signs.ts'
import { wordedDates } from './worded-dates.ts'

/** A date as written: the calendar day and offset are kept, nothing is converted. */
export interface WrittenDate {
  /** As in `ExtractedPage.publishedAt`. */
  iso: string
  precision: DatePrecision
  /** The other reading of a numeric date such as `03/04/2020`, where day and month could be exchanged. */
  swapped?: string | undefined
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

/** Whether a text may hold a date written for people: cheap enough to ask of every text of a page. */
export function mayHoldDate(text: string): boolean {
  return digits.test(text) && (datelike.test(text) || hasNativeDigits(text))
}

/** Two digits, one before the sign for a year, or any character of the scripts from Arabic to Khmer. */
const digits = /\d[\d年]|[٠-៩]/
const datelike = /(?:1[349]|2[05])\d\d|\d[./]\d\d(?!\d)|['’-]\d\d(?!\d)|\d年/

/**
 * Finds the first date written for people: `5 May 2020`, `Mai 5, 2020`, `05.05.2020`, `2020年5月5日` and the like, month
 * names in some hundred languages, digits of any script, Thai and Persian calendars, Japanese eras, with the clock time
 * that follows directly. Reads at most 200 characters.
 */
export function parseTextDate(value: string, order: DayOrder): WrittenDate | undefined {
  const text = plainText(value)
  const machine = /(?<!\d)\d{4}-\d{1,2}-\d{1,2}(?!\d)/.exec(text)
  if (machine) {
    const date = parseMachineDate(text.slice(machine.index))
    if (date) return date
  }
  const yearFirst = /(?<![\d/.-])(\d{4})\s?(?:[/.]|年|년)\s?(\d{1,2})\s?(?:[/.]|月|월)\s?(\d{1,2})(?![\d])/.exec(text)
  if (yearFirst) {
    const [year, month, day] = [+yearFirst[1], +yearFirst[2], +yearFirst[3]]
    const end = yearFirst.index + yearFirst[0].length
    const gregorian = isPersianYear(year) ? gregorianDay({ year, month, day }) : { year, month, day }
    return gregorian && written(gregorian.year, gregorian.month, gregorian.day, clockAfter(text, end))
  }
  const inEra = eraDate(text)
  if (inEra) return inEra
  for (const { year, month, day, end } of wordedDates(text)) {
    const date = written(year, month, day, clockAfter(text, end))
    if (date) return date
  }
  const numeric = /(?<![\d/.-])(\d{1,2})\s?([/.-])\s?(\d{1,2})\s?\2\s?(\d{4})(?!\d)/.exec(text)
  if (numeric) {
    const clock = clockAfter(text, numeric.index + numeric[0].length)
    return inOrder(+numeric[1], +numeric[3], { year: commonYear(+numeric[4]), sign: numeric[2], order, clock })
  }
  return shortDate(text, order)
}

/** At most 200 characters, without invisible ones, digits in ASCII; Thai and Lao abbreviations without their full stops. */
function plainText(value: string): string {
  const clipped = value.length > MAX_CHARS ? value.slice(0, MAX_CHARS) : value
  if (!/[^\x20-\x7e]/.test(clipped)) return clipped
  const text = withAsciiDigits(clipped.normalize('NFKC').replace(/\p{Cf}+/gu, ''))
  return /[\u0e00-\u0eff]/.test(text) ? text.replace(/(?<=[\u0e00-\u0eff])\./g, '') : text
}

/** The year before the first one of an era. */
const eras: Readonly<Record<string, number>> = { 令和: 2018, 平成: 1988, 民國: 1911, 民国: 1911 }

/** `令和2年5月4日` or `民國109年5月4日`. */
function eraDate(text: string): WrittenDate | undefined {
  const era = /(令和|平成|民國|民国)\s?(元|\d{1,3})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})/.exec(text)
  if (!era) return undefined
  const year = eras[era[1]] + (era[2] === '元' ? 1 : +era[2])
  return written(year, +era[3], +era[4], clockAfter(text, era.index + era[0].length))
}

/** A numeric date, read in the order of the page where its separator and its numbers leave that open. */
function inOrder(
  first: number,
  second: number,
  { year, sign, order, clock }: { year: number; sign: string; order: DayOrder; clock: string },
): WrittenDate | undefined {
  const isOpen = first <= 12 && second <= 12 && first !== second
  const monthFirst = second > 12 || (first <= 12 && sign === '/' && order === 'month-first')
  const [month, day] = monthFirst ? [first, second] : [second, first]
  const date = written(year, month, day, clock)
  return date && isOpen && sign !== '.' ? { ...date, swapped: written(year, day, month, clock)?.iso } : date
}

const MAX_SHORT_DATE_CHARS = 40

/** `31.10.23` or `10/31/23`, in a text that holds little else: in longer ones it may be a version or a score. */
function shortDate(text: string, order: DayOrder): WrittenDate | undefined {
  const trimmed = text.trim()
  if (trimmed.length > MAX_SHORT_DATE_CHARS) return undefined
  const short = /(?<![\d/.-])(\d{1,2})([./])(\d{1,2})\2(\d{2})(?![\d/.-]*\d)/.exec(trimmed)
  if (!short) return undefined
  const clock = clockAfter(trimmed, short.index + short[0].length)
  return inOrder(+short[1], +short[3], { year: 2000 + +short[4], sign: short[2], order, clock })
}

/** A date in the path of a URL: `/2020/05/31/`, `/2020-05-31-title`, `/20200531/`, `/2020/may/31/`; or to the month, `/2020/05/`. */
export function parseUrlDate(url: string): WrittenDate | undefined {
  const path = URL.parse(url)?.pathname.slice(0, 500) ?? ''
  const day = /(?<!\d)((?:19|20)\d{2})[/_-](\d{1,2})[/_-](\d{1,2})(?!\d)/.exec(path)
  if (day) {
    const date = written(+day[1], +day[2], +day[3], '')
    if (date) return date
  }
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

function clockAfter(text: string, end: number): string {
  const rest = text.slice(end, end + 40)
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
