import type { DatePrecision } from '../page.ts'
import { commonYear, gregorianDay, isPersianYear } from './calendars.ts'
import { clockAfter, clockOf } from './clock-time.ts'
import { readMailDate } from './mail-date.ts'
import { monthOf } from './month-names.ts'
import { zonePattern } from './utc-offset.ts'
import { wordedDates } from './worded-dates.ts'

/** A date with the calendar day and the UTC offset that the text states. It is not converted to UTC. */
export interface WrittenDate {
  /** The date in the form of `ExtractedPage.publishedAt`. */
  iso: string
  precision: DatePrecision
  /** The date with day and month exchanged. Present for an ambiguous numeric date such as `03/04/2020`. */
  swapped?: string | undefined
}

/**
 * A date before this year is not taken as a publish date. It is rather a default of some software, such as 1970, or an
 * event that the page describes.
 */
const MIN_YEAR = 1990
const MAX_YEAR = 2100
/** Number of characters of a text that are read. */
const MAX_CHARS = 200

/** True for a date without a day, which is the first day of its month or year. */
export function isCoarse({ precision }: WrittenDate): boolean {
  return precision === 'month' || precision === 'year'
}

/** The order of day and month in `03/04/2020`: 3 April if day-first, 4 March if month-first. Dates that start with the year are not ambiguous. */
export type DayOrder = 'day-first' | 'month-first'

/** Countries that write English and the day first. Many of their sites keep `en-US`, the default of their software. */
const dayFirstDomain = /\.(?:uk|au|nz|ie|in|za)$/
const americanDomain = /\.(?:com|org|net|us|edu|gov)$/

/**
 * Returns the order in which a page writes numeric dates. The domain decides for countries that write English and the day first. Otherwise
 * the first language decides, unless it is English; then the first English language with a country does, or else the domain.
 *
 * @param languages - BCP 47 tags that the page declares, the most trusted first.
 */
export function dayOrder(languages: readonly string[], url: string): DayOrder {
  const host = URL.parse(url)?.hostname ?? ''
  if (dayFirstDomain.test(host)) return 'day-first'
  const [first = 'en'] = languages
  if (!isEnglish(first)) return 'day-first'
  for (const tag of languages) {
    const order = isEnglish(tag) ? orderOfLanguage(tag) : undefined
    if (order !== undefined) return order
  }
  return americanDomain.test(host) ? 'month-first' : 'day-first'
}

/** Returns the order of a language; undefined for English without a country. */
export function orderOfLanguage(tag: string): DayOrder | undefined {
  if (!isEnglish(tag)) return 'day-first'
  if (/^en-us(?:$|-)/i.test(tag)) return 'month-first'
  return /^en-(?:.*-)?(?:[a-z]{2}|\d{3})(?:$|-)/i.test(tag) ? 'day-first' : undefined
}

function isEnglish(tag: string): boolean {
  return /^en(?:$|-)/i.test(tag)
}

const timeOfDay = `(\\d{2}):?(\\d{2})(?::?(\\d{2})(?:[.,](\\d{1,9}))?)?\\s*(${zonePattern})?`
/** The extended format of ISO 8601, also with a time in the basic format. */
const extendedDate = new RegExp(
  `^(\\d{4})-(\\d{1,2})-(\\d{1,2})(?:(?:T|\\s+(?=\\d{1,2}:))${timeOfDay.replace('{2}', '{1,2}')})?`,
  'iu',
)
/** The basic format of ISO 8601. */
const basicDate = new RegExp(`^(\\d{4})(\\d{2})(\\d{2})(?:(?:T|\\s(?=\\d{2}:))?${timeOfDay})?(?!\\d)`, 'iu')

/** A date in the metadata of a PDF (ISO 32000-1, 7.9.4): `D:20230905101112+02'00'`. */
const pdfDate = /^D:\d{4}/
/** A date in the JSON of ASP.NET, epoch milliseconds with the offset of the writer: `/Date(1693900800000+0200)/`. */
const jsonDate = /^\\?\/Date\((-?\d{1,14})([+-]\d{4})?\)\\?\/$/

/** @param offset - such as `+0200`. Default: UTC. */
function atInstant(ms: number, offset?: string): WrittenDate | undefined {
  const sign = offset?.startsWith('-') ? -1 : 1
  const minutes = offset === undefined ? 0 : sign * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3)))
  const at = new Date(ms + minutes * 60_000)
  if (Number.isNaN(at.getTime())) return undefined
  const zone = offset === undefined ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(3)}`
  return toDate(at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate(), at.toISOString().slice(10, 19) + zone)
}

/**
 * Reads a date that software has written: ISO 8601 with its usual deviations, Unix epoch seconds or milliseconds, a date of the
 * metadata of PDF or of the JSON of ASP.NET, a date in the formats of {@link readMailDate}, or only a month (`2020-05`, `2020/05`, `2020-05-00`) or a year.
 *
 * @returns `undefined` if the text is not such a date, or if the date does not exist or is before 1990 or after 2100.
 */
export function parseMachineDate(value: string): WrittenDate | undefined {
  const given = value.trim().slice(0, MAX_CHARS)
  const inMilliseconds = jsonDate.exec(given)
  if (inMilliseconds) return atInstant(Number(inMilliseconds[1]), inMilliseconds[2])
  const text = pdfDate.test(given) ? given.slice(2).replace(/'(\d\d)'?$|'$/, '$1') : given
  const coarse = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.]0?0)?)?$/.exec(text)
  if (coarse) return toDate(Number(coarse[1]), Number(coarse[2] ?? 0) || undefined, undefined, '')
  const iso = extendedDate.exec(text) ?? basicDate.exec(text)
  if (iso) {
    const [, year, month, day, hour, minute, second, fraction, zone] = iso
    return toDate(Number(year), Number(month), Number(day), clockOf(hour, minute, second, fraction, zone))
  }
  if (/^\d{10}(?:\d{3})?$/.test(text)) return atInstant(text.length === 10 ? +text * 1000 : +text)
  const mail = readMailDate(text)
  return (
    mail &&
    toDate(mail.year, mail.month, mail.day, clockOf(mail.hour, mail.minute, mail.second, undefined, mail.offset))
  )
}

/**
 * Reads a date that a page declares as its value alone: a date that {@link parseMachineDate} or {@link parseTextDate}
 * reads, or a month by name, such as `September 2023` and `2023 Sep`.
 */
export function parseDeclaredDate(value: string, order: DayOrder): WrittenDate | undefined {
  return parseMachineDate(value) ?? parseTextDate(value, order) ?? namedMonth(value)
}

function namedMonth(value: string): WrittenDate | undefined {
  const parts = plainText(value)
    .trim()
    .split(/[\s,./-]+/, 5)
    .filter(part => !/^(?:|of|de|del)$/.test(part))
  const [first = '', second = ''] = parts
  if (parts.length !== 2) return undefined
  const [year, name] = /^\d{4}$/.test(first) ? [first, second] : [second, first]
  if (!/^\d{4}$/.test(year)) return undefined
  const month = /^\d{1,2}$/.test(name) ? Number(name) : monthOf(name)
  return month === undefined ? undefined : toDate(Number(year), month, undefined, '')
}

/** True if a text may contain a date that {@link parseTextDate} reads. The test is fast enough for every text of a page. */
export function mayHoldDate(text: string): boolean {
  return digits.test(text) && (datelike.test(text) || hasNativeDigits(text))
}

/** Matches two digits, a digit before the character for "year", or any character from the Arabic to the Khmer digits. */
const digits = /\d[\d年]|[٠-៩]/
/** Matches a year, or the last part of a numeric or abbreviated date. */
const datelike = /(?:1[349]|2[05])\d\d|\d[./]\d\d(?!\d)|['’-]\d\d(?!\d)|\d年/

/**
 * Finds the first date that is written for people, such as `5 May 2020`, `Mai 5, 2020`, `05.05.2020` or `2020年5月5日`. Reads month names
 * in about a hundred languages, digits of any script, the Thai and the Persian calendar, Japanese eras, and a time of day directly
 * after the date. Only the first 200 characters are read.
 *
 * @param order - the order of day and month in ambiguous numeric dates.
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
    const [year, month, day] = [Number(yearFirst[1]), Number(yearFirst[2]), Number(yearFirst[3])]
    const end = yearFirst.index + yearFirst[0].length
    const gregorian = isPersianYear(year) ? gregorianDay({ year, month, day }) : { year, month, day }
    return gregorian && toDate(gregorian.year, gregorian.month, gregorian.day, clockAfter(text, end))
  }
  const inEra = eraDate(text)
  if (inEra) return inEra
  for (const { year, month, day, end } of wordedDates(text)) {
    const date = toDate(year, month, day, clockAfter(text, end))
    if (date) return date
  }
  const numeric = /(?<![\d/.-])(\d{1,2})\s?([/.-])\s?(\d{1,2})\s?\2\s?(\d{4})(?!\d)/.exec(text)
  if (numeric) {
    const clock = clockAfter(text, numeric.index + numeric[0].length)
    const year = commonYear(Number(numeric[4]))
    return inOrder(Number(numeric[1]), Number(numeric[3]), { year, sign: numeric[2], order, clock })
  }
  return shortDate(text, order)
}

/**
 * Returns the first 200 characters of a text, with ASCII digits. Invisible characters and the full stops of Thai and
 * Lao abbreviations are removed.
 */
function plainText(value: string): string {
  const clipped = value.length > MAX_CHARS ? value.slice(0, MAX_CHARS) : value
  if (!/[^\x20-\x7e]/.test(clipped)) return clipped
  const text = withAsciiDigits(clipped.normalize('NFKC').replace(/\p{Cf}+/gu, ''))
  return /[\u0e00-\u0eff]/.test(text) ? text.replace(/(?<=[\u0e00-\u0eff])\./g, '') : text
}

/** The common year just before the first year of each era. */
const eras: Readonly<Record<string, number>> = { 令和: 2018, 平成: 1988, 民國: 1911, 民国: 1911 }

/** Reads a date that counts years by an era: `令和2年5月4日` or `民國109年5月4日`. */
function eraDate(text: string): WrittenDate | undefined {
  const era = /(令和|平成|民國|民国)\s?(元|\d{1,3})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})/.exec(text)
  if (!era) return undefined
  const year = eras[era[1]!]! + (era[2] === '元' ? 1 : Number(era[2]))
  return toDate(year, Number(era[3]), Number(era[4]), clockAfter(text, era.index + era[0].length))
}

/** Reads a numeric date. `order` decides which number is the month, if the separator and the numbers do not. */
function inOrder(
  first: number,
  second: number,
  { year, sign, order, clock }: { year: number; sign: string | undefined; order: DayOrder; clock: string },
): WrittenDate | undefined {
  const isOpen = first <= 12 && second <= 12 && first !== second
  const monthFirst = second > 12 || (first <= 12 && sign === '/' && order === 'month-first')
  const [month, day] = monthFirst ? [first, second] : [second, first]
  const date = toDate(year, month, day, clock)
  return date && isOpen && sign !== '.' ? { ...date, swapped: toDate(year, day, month, clock)?.iso } : date
}

const MAX_SHORT_DATE_CHARS = 40

/** Reads `31.10.23` or `10/31/23` in a short text. In a longer text such numbers may be a version or a score. */
function shortDate(text: string, order: DayOrder): WrittenDate | undefined {
  const trimmed = text.trim()
  if (trimmed.length > MAX_SHORT_DATE_CHARS) return undefined
  const short = /(?<![\d/.-])(\d{1,2})([./])(\d{1,2})\2(\d{2})(?![\d/.-]*\d)/.exec(trimmed)
  if (!short) return undefined
  const clock = clockAfter(trimmed, short.index + short[0].length)
  return inOrder(Number(short[1]), Number(short[3]), { year: 2000 + Number(short[4]), sign: short[2], order, clock })
}

/** Reads a date in the path of a URL: `/2020/05/31/`, `/2020-05-31-title`, `/20200531/`, `/2020/may/31/`, or a month, `/2020/05/`. */
export function parseUrlDate(url: string): WrittenDate | undefined {
  const path = URL.parse(url)?.pathname.slice(0, 500) ?? ''
  const day = /(?<!\d)((?:19|20)\d{2})[/_-](\d{1,2})[/_-](\d{1,2})(?!\d)/.exec(path)
  if (day) {
    const date = toDate(Number(day[1]), Number(day[2]), Number(day[3]), '')
    if (date) return date
  }
  const compact = /(?<!\d)(20\d{2})(\d{2})(\d{2})(?!\d)/.exec(path)
  if (compact) {
    const date = toDate(Number(compact[1]), Number(compact[2]), Number(compact[3]), '')
    if (date) return date
  }
  const words = /\/((?:19|20)\d{2})\/([a-z]{3,9})\/(\d{1,2})(?!\d)/i.exec(path)
  const named = words?.[2] && monthOf(words[2])
  if (words && named) return toDate(Number(words[1]), named, Number(words[3]), '')
  const month = /\/((?:19|20)\d{2})[/-](\d{1,2})\//.exec(path)
  return month ? toDate(Number(month[1]), Number(month[2]), undefined, '') : undefined
}

/**
 * Returns a date in ISO form; undefined if the date does not exist or is out of range. If `day` is undefined, the date is a
 * month, and without `month` a year.
 */
function toDate(
  year: number,
  month: number | undefined,
  day: number | undefined,
  clock: string,
): WrittenDate | undefined {
  if (year < MIN_YEAR || year > MAX_YEAR) return undefined
  if (month === undefined) return { iso: `${year}-01-01`, precision: 'year' }
  if (month < 1 || month > 12) return undefined
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
  if (day !== undefined && (day < 1 || day > days)) return undefined
  const date = `${year}-${String(month).padStart(2, '0')}-${String(day ?? 1).padStart(2, '0')}`
  if (day === undefined) return { iso: date, precision: 'month' }
  if (clock === '') return { iso: date, precision: 'day' }
  const withSeconds = clock.replace(/^(T\d\d:\d\d)(?!:)/, '$1:00')
  return { iso: date + withSeconds, precision: clock === withSeconds ? 'second' : 'minute' }
}

/** The digit zero of other scripts than Latin: Arabic, Persian, Devanagari and so on. */
const zeros = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0x1040, 0x17e0,
]
const nativeDigit = /[٠-٩۰-۹०-९০-৯੦-੯૦-૯୦-୯௦-௯౦-౯೦-೯൦-൯๐-๙໐-໙၀-၉០-៩]/

const nativeDigits = new RegExp(nativeDigit, 'g')

/** True if a text contains decimal digits of a script other than Latin. */
function hasNativeDigits(text: string): boolean {
  return nativeDigit.test(text)
}

/** Replaces the digits of other scripts by ASCII digits. Leaves full-width digits, which NFKC replaces. */
function withAsciiDigits(text: string): string {
  return text.replace(nativeDigits, digit => {
    const code = digit.charCodeAt(0)
    const zero = zeros.find(first => code >= first && code < first + 10) ?? code
    return String(code - zero)
  })
}
