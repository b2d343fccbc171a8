/** Spaces that may separate groups of digits. */
export const GROUP_SPACES = String.raw` \u00A0\u2007\u2009\u202F`

const SPACED = new RegExp(`[${GROUP_SPACES}'’]`, 'g')
const COMMA_GROUPS = /^\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)(?=\.\d|\D|$)/
const POINT_GROUPS = /^\d{1,3}(?:(?:\.\d{3}){2,}|\.\d{3}(?=,\d))(?!\d|\.\d)/

/**
 * Returns a number without the signs between groups of digits: 1,000 and 1 000 are 1000. A single point may also be a decimal point, so
 * 1.000 stays. The decimal sign stays as it is written: 1,5 and 1.5 differ.
 */
export function withoutGroups(number: string): string {
  const spaced = number.replace(SPACED, '')
  const digits = spaced.startsWith('.') ? `0${spaced}` : spaced
  return digits
    .replace(COMMA_GROUPS, groups => groups.replaceAll(',', ''))
    .replace(POINT_GROUPS, groups => groups.replaceAll('.', ''))
}

/** A number in a text with what is written directly at it. */
export interface WrittenNumber {
  /** The values that it may have: 1.000 is 1, or 1000. The only value of a fraction, or of a number with many parts, is its spelling. */
  values: string[]
  /** `-`, `<`, `>` and the like, without `+`, `~` and `≈`, which do not contradict the bare number. */
  sign: string
  /** What follows the digits, such as `kg`, `%` or `st`, or the currency before them. */
  unit: string
}

const NUMBER = /^([^\p{L}\p{N}.∞]*)(∞|\d[\d.]*e-?\d+|\d[\d.,/:^+-]*(?<!\D)|\.\d+)([^\d]*)$/u
const TIME_OF_DAY = /^([01]?\d|2[0-4])[:.]([0-5]\d)$/

/** Reads a word that begins with digits, with signs around them. */
export function writtenNumber(word: string): WrittenNumber | undefined {
  const [, before = '', digits = '', behind = ''] = NUMBER.exec(word) ?? []
  if (digits === '') return undefined
  const currency = before.replace(/[^\p{Sc}]/gu, '')
  const sign = before.replace(/[\p{Sc}+~≈]/gu, '') + (behind.startsWith('+') ? 'and more' : '')
  return { values: valuesOf(digits), sign, unit: currency + behind.replace(/^\+/, '') }
}

function valuesOf(digits: string): string[] {
  if (/^\d+$/.test(digits)) return [wholeValue(digits)]
  if (/e/.test(digits)) return [String(Number(digits))]
  const decimal = /^(\d+)[.,](\d+)$/.exec(digits)
  if (!decimal) return [digits]
  const [, whole = '', part = ''] = decimal
  const fraction = part.replace(/0+$/, '')
  const value = wholeValue(whole) + (fraction === '' ? '' : `.${fraction}`)
  // Three digits behind a point may be thousands.
  return part.length === 3 && whole.length <= 3 && !whole.startsWith('0') ? [value, whole + part] : [value]
}

function wholeValue(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '')
}

/** Returns the minutes of the day of a number that may be a time of day: `5:30`, `17.30`; undefined for others. */
export function minutesOfDay(number: string): number | undefined {
  const [, hours, minutes] = TIME_OF_DAY.exec(number) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}
