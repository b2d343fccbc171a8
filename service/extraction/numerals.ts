import { isInexactInteger } from '@asof/extract/exact-json'

/** A number in a text. */
export interface Numeral {
  /** The range of its digits and of a minus sign, UTF-16 units. */
  start: number
  end: number
  /** The numbers that it may mean: two for `1.299`, if the language of the page does not decide. */
  readings: readonly number[]
}

/**
 * Matches a number that stands for itself: not a part of a word, date, time, version or range. The number of digits has a bound, because
 * longer ones are codes.
 */
const NUMERAL =
  /(?<![\p{L}\p{N}.,:/_#]|[\p{L}\p{N}][-−–]|\d\s?[-−–/]\s?)([-−])?(\d{1,3}(?:[ \u00a0\u202f'’.,]\d{3}){1,6}(?:[.,]\d{1,9})?|\d{1,15}(?:[.,]\d{1,9})?)(?![\p{N}_]|[.,:/][\p{N}]|\s?[-−–/]\s?\d)/gu

/**
 * Yields the numbers of a text, as pages write them: `1,299.00`, `1.299,00`, `1 299`. Of two separators the last is the decimal one, and one
 * that is repeated separates thousands. Whether `1.299` is more than a thousand depends on the language.
 *
 * @param decimal - the decimal separator of the language; undefined if it is unknown.
 */
export function* numeralsIn(text: string, decimal: string | undefined): Generator<Numeral> {
  for (const { 0: found, 1: sign, 2: written = '', index } of text.matchAll(NUMERAL)) {
    const readings = readingsOf(written, decimal).map(value => (sign === undefined ? value : -value))
    if (readings.length > 0) yield { start: index, end: index + found.length, readings }
  }
}

function readingsOf(written: string, decimal: string | undefined): number[] {
  const plain = written.replace(/[ \u00a0\u202f'’]/g, '')
  const last = Math.max(plain.lastIndexOf(','), plain.lastIndexOf('.'))
  const separator = plain[last] ?? ''
  const isOnly = last >= 0 && plain.search(/[.,]/) === last
  const asDecimal = numberOf(plain.slice(0, Math.max(last, 0)), plain.slice(last + 1))
  const asWhole = numberOf(plain, '')
  if (last < 0) return asWhole
  if (!isOnly) return plain.indexOf(separator) < last ? asWhole : asDecimal
  if (plain.length - last !== 4 || last > 3 || plain.startsWith('0')) return asDecimal
  if (decimal === undefined) return [...asWhole, ...asDecimal]
  return separator === decimal ? asDecimal : asWhole
}

function numberOf(whole: string, fraction: string): number[] {
  const digits = whole.replace(/[.,]/g, '')
  return isInexactInteger(digits) ? [] : [Number(`${digits}.${fraction || '0'}`)]
}

const separators = new Map<string, string | undefined>()
/** Languages of pages are few; those of hostile pages are not kept. */
const MAX_KEPT = 500

/** Returns the decimal separator of a language, as `Intl` knows it; undefined for an unknown language. */
export function decimalSeparator(lang: string | undefined): string | undefined {
  if (lang === undefined) return undefined
  if (!separators.has(lang)) {
    if (separators.size >= MAX_KEPT) separators.clear()
    separators.set(lang, separatorOf(lang))
  }
  return separators.get(lang)
}

function separatorOf(lang: string): string | undefined {
  try {
    const [known] = Intl.NumberFormat.supportedLocalesOf([lang])
    return known && new Intl.NumberFormat(known).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value
  } catch {
    // The page declares something that is no language tag.
    return undefined
  }
}
