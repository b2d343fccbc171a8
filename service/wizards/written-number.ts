import { isStructuredItem, listOf } from './structured-data.ts'

const MAX_CHARS = 100
const NUMBER = /[-−]?\d(?:[\d.,'’\s]*\d)?/

/**
 * Parses a number as pages write it: a JSON number, a text in that format, or a text for people (`1.299,00 €`,
 * `$1,299`, `1 299,00`, `1'299.00`). If a text has commas and points, the last one is the decimal separator. A single
 * comma or point before exactly three digits separates thousands. But in a text that is only the number, a point is the
 * decimal separator, as in schema.org.
 */
export function numberOf(value: unknown): number | undefined {
  const [first] = listOf(value)
  const written = isStructuredItem(first) ? first['@value'] : first
  if (typeof written === 'number') return Number.isFinite(written) ? written : undefined
  if (typeof written !== 'string' || written.length > MAX_CHARS) return undefined
  const text = written.trim()
  const number = /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : fromProse(text)
  return number !== undefined && Number.isFinite(number) ? number : undefined
}

function fromProse(text: string): number | undefined {
  const found = NUMBER.exec(text)?.[0]
  if (found === undefined) return undefined
  const sign = /^[-−]/.test(found) ? -1 : 1
  const digits = found.replace(/[-−\s'’]/g, '')
  const mark = decimalMark(digits)
  const whole = mark < 0 ? digits : digits.slice(0, mark)
  const fraction = mark < 0 ? '' : digits.slice(mark + 1)
  return sign * Number(`${whole.replace(/[.,]/g, '')}.${fraction || '0'}`)
}

/** Returns the index of the decimal separator; −1 if there is none. */
function decimalMark(digits: string): number {
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','))
  if (last < 0) return -1
  const mark = digits.charAt(last)
  const repeats = digits.indexOf(mark) !== last
  if (repeats) return -1
  const hasBoth = digits.includes(mark === '.' ? ',' : '.')
  return !hasBoth && digits.length - last - 1 === 3 ? -1 : last
}

/**
 * Parses a price. Returns undefined for negative and huge numbers, and for a text with several numbers (`2 for $5`).
 */
export function priceOf(value: unknown): number | undefined {
  const [first] = listOf(value)
  const written = isStructuredItem(first) ? first['@value'] : first
  if (typeof written === 'string' && !isOneNumber(written)) return undefined
  const price = numberOf(written)
  return price === undefined || price < 0 || price > Number.MAX_SAFE_INTEGER ? undefined : price
}

/** Maximum number of characters besides the digits of a price, such as its currency. A longer text is no price. */
const MAX_BESIDE = 16

/** True if a text is one number with little else, in which spaces only separate thousands. */
function isOneNumber(text: string): boolean {
  if (text.length > MAX_CHARS) return false
  const [first, ...others] = text.match(new RegExp(NUMBER, 'g')) ?? []
  if (first === undefined || others.length > 0 || text.trim().length - first.length > MAX_BESIDE) return false
  return !/\s(?!\d{3}(?!\d))/.test(first)
}

const signs: readonly (readonly [sign: string, code: string])[] = [
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['₹', 'INR'],
  ['₩', 'KRW'],
  ['₽', 'RUB'],
  ['₺', 'TRY'],
  ['zł', 'PLN'],
]

/** Returns the first ISO 4217 code in the values, or the code for a sign that only one currency uses. */
export function currencyOf(...values: unknown[]): string | undefined {
  for (const value of values) {
    const [text] = listOf(value)
    if (typeof text !== 'string' || text.length > MAX_CHARS) continue
    const code = /(?:^|[^A-Za-z])([A-Z]{3})(?:$|[^A-Za-z])/.exec(text.length === 3 ? text.toUpperCase() : text)?.[1]
    const found = code ?? signs.find(([sign]) => text.includes(sign))?.[1]
    if (found !== undefined) return found
  }
  return undefined
}
