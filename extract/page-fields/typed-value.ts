import { collapse } from '../html/html-tree.ts'
import type { FieldScalar, FieldText } from '../page.ts'
import { type FieldType, MAX_KEYWORD_UNITS, MAX_TEXT_UNITS } from '../page.ts'
import { isInexactInteger } from '../structured/exact-json.ts'
import { type DayOrder, parseMachineDate, parseTextDate } from '../written-dates/date-text.ts'
import { readInstant } from '../written-dates/timestamp.ts'

/** Maximum length of a text in which a number, a boolean or an instant is looked for, UTF-16 units. */
const MAX_VALUE_UNITS = 256
/** Maximum length of a text with its white space, UTF-16 units. */
const MAX_RAW_UNITS = 16_384

/**
 * Reads a value of a page as a type.
 *
 * @param order - the order of day and month in ambiguous dates of the page.
 * @returns undefined if the value cannot be read as the type, or is too long.
 */
export function typedValue(value: unknown, type: FieldType, order: DayOrder): FieldScalar | FieldText | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const raw = String(value)
  if (raw.length > MAX_RAW_UNITS) return undefined
  // White space must be collapsed before the length is tested: a text that is cut first may seem short enough.
  const text = collapse(raw.toWellFormed())
  if (text === '' || text.length > (type === 'text' ? MAX_TEXT_UNITS : MAX_VALUE_UNITS)) return undefined
  switch (type) {
    case 'keyword':
      return text.length > MAX_KEYWORD_UNITS ? undefined : text.replace(enumeration, '')
    case 'boolean':
      return typeof value === 'boolean' ? value : booleanIn(text)
    case 'number':
      return typeof value === 'number' ? finite(value) : numberIn(text)
    case 'instant':
      return instantIn(text, order)
    case 'text':
      return { $text: text }
  }
}

/** The address of a value of a schema.org enumeration, such as `https://schema.org/InStock`, before its name. */
const enumeration = /^https?:\/\/(?:www\.)?schema\.org\/(?=\w+$)/i

function booleanIn(text: string): boolean | undefined {
  const name = text.replace(enumeration, '').toLowerCase()
  if (name === 'true' || name === 'yes' || name === '1') return true
  return name === 'false' || name === 'no' || name === '0' ? false : undefined
}

/** Matches the first number in a text, with separators of thousands and decimals. */
const numeral = /(?<![\p{L}\d])([-−])?\p{Sc}?\s?(\d[\d.,'’\u00a0\u202f ]*)(?:[eE]([+-]?\d{1,3}))?/u

/**
 * Reads the first number of a text, such as `$1,299.00`, `1.299,00 €` or `19,90`. The last of two different separators is the decimal one.
 * A separator that occurs once is decimal, unless it is a comma before exactly three digits. Returns undefined for an integer that would
 * be rounded, because a number has too few digits for it.
 */
function numberIn(text: string): number | undefined {
  const [, sign, written = '', exponent = '0'] = numeral.exec(text) ?? []
  // A space or apostrophe separates thousands only before three digits. Elsewhere the number ends there.
  const [digits = ''] = /^\d+(?:['’\u00a0\u202f ]\d{3}(?!\d))*(?:[.,]\d+)*/.exec(written) ?? []
  const plain = digits.replace(/['’\u00a0\u202f ]/g, '')
  if (plain === '') return undefined
  const [comma, dot] = [plain.lastIndexOf(','), plain.lastIndexOf('.')]
  const last = Math.max(comma, dot)
  const separator = plain[last]
  const isRepeated = last >= 0 && plain.indexOf(separator!) < last
  const isThousands = isRepeated || (separator === ',' && dot < 0 && plain.length - last === 4)
  const whole = (last < 0 || isThousands ? plain : plain.slice(0, last)).replace(/[.,]/g, '')
  const fraction = last < 0 || isThousands ? '' : plain.slice(last + 1)
  if (fraction === '' && exponent === '0' && isInexactInteger(whole)) return undefined
  return finite(Number(`${sign === undefined ? '' : '-'}${whole}.${fraction || '0'}e${exponent}`))
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

function instantIn(text: string, order: DayOrder): Date | undefined {
  const exact = readInstant(text, 'start')
  const written = typeof exact === 'number' ? undefined : (parseMachineDate(text) ?? parseTextDate(text, order))?.iso
  const at = typeof exact === 'number' ? exact : written === undefined ? undefined : readInstant(written, 'start')
  return typeof at === 'number' ? new Date(at) : undefined
}
