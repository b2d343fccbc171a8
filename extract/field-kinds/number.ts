import { inexact, isInexactInteger } from '../structured/exact-json.ts'
import { type FieldKind, NoValue, RefusedValue } from './field-kind.ts'

export const numberField: FieldKind<number, number> = {
  name: 'number',
  letter: 'n',
  forms: { value: 'a number', filter: 'a finite number' },
  scale: 'number',
  properties: `
    bestRating copyrightYear highPrice interactionCount latitude longitude lowPrice maxPrice minPrice numberOfPages offerCount position
    price ratingCount ratingValue reviewCount wordCount worstRating`,
  accept(value) {
    if (typeof value === 'bigint')
      return Number.isSafeInteger(Number(value)) ? Number(value) : new RefusedValue(inexact(value))
    if (typeof value !== 'number') return undefined
    return Number.isFinite(value) ? plain(value) : new NoValue(`is ${value}; a number must be finite`)
  },
  store: value => value,
  isStored: stored => typeof stored === 'number',
  show: stored => stored,
  toTerm: stored => stored,
  fromTerm: term => term,
  fromText(text) {
    const trimmed = text.trim()
    if (isInexactInteger(trimmed)) return new RefusedValue(inexact(trimmed))
    return WRITTEN.test(trimmed) ? finite(plain(Number(trimmed))) : undefined
  },
  fromRecord(value) {
    const digits = typeof value === 'bigint' ? `${value}` : typeof value === 'string' ? value.trim() : ''
    if (isInexactInteger(digits)) return new RefusedValue(`${inexact(digits)}, as a field of type keyword`)
    const read = typeof value === 'string' && digits !== '' ? Number(value) : value
    return typeof read === 'number' ? finite(read) : undefined
  },
  fromPage: (text, given) => (typeof given === 'number' ? finite(given) : numberIn(text)),
}

const WRITTEN = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i

/** Negative zero becomes zero, because JSON has no negative zero. */
function plain(value: number): number {
  return value === 0 ? 0 : value
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
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
