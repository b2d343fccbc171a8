import { foldWord } from '../characters/fold.ts'

/** Maximum length of an identifier that is indexed or looked up, UTF-16 units. */
export const MAX_IDENTIFIER_UNITS = 64
/** Minimum length of a folded word of a query that is looked up as an identifier, UTF-16 units. */
const MIN_UNITS = 3

/**
 * Returns an identifier (SKU, MPN, GTIN, ISBN, ticker symbol) in the form in which identifiers are compared:
 *
 * - Case and separators are ignored: `SKU-12345` and `sku 12345` are equal.
 * - A GTIN or ISBN with a valid check digit becomes a GTIN of 14 digits: `3-16-148410-X`, `978-3-16-148410-0` and
 *   `9783161484100` are equal.
 * - In other numbers, separators between digits count: `10-20` is not `1020`.
 *
 * @returns '' for a text without letters and digits, or one that is too long for an identifier.
 */
export function identifierKey(text: string): string {
  if (text.length > MAX_IDENTIFIER_UNITS) return ''
  const folded = foldWord(text, MAX_IDENTIFIER_UNITS)
  const trade = tradeNumber(folded)
  if (trade !== undefined) return trade
  const groups = /^\d+$/.test(folded) ? text.match(/\d+/g) : null
  return groups && groups.length > 1 ? groups.join('-') : folded
}

/** Returns a GTIN-8, UPC, EAN, GTIN-14, ISBN-10 or ISBN-13 as a GTIN of 14 digits; undefined for any other text. */
function tradeNumber(folded: string): string | undefined {
  if (/^\d{9}[\dx]$/.test(folded)) {
    const sum = [...folded].reduce((all, digit, at) => all + (digit === 'x' ? 10 : Number(digit)) * (10 - at), 0)
    if (sum % 11 !== 0) return undefined
    const without = `0978${folded.slice(0, 9)}`
    return `${without}${(10 - (weighDigits(without) % 10)) % 10}`
  }
  if (!/^(?:\d{8}|\d{12,14})$/.test(folded) || /^0+$/.test(folded)) return undefined
  const digits = folded.padStart(14, '0')
  return weighDigits(digits) % 10 === 0 ? digits : undefined
}

/**
 * Returns the sum of the digits, where the first, third and so on count three times (GS1 General Specifications, 7.9).
 */
function weighDigits(digits: string): number {
  return [...digits].reduce((sum, digit, at) => sum + Number(digit) * (at % 2 === 0 ? 3 : 1), 0)
}

/**
 * True if a word of a query should also be looked up as an identifier. It must be a valid GTIN or ISBN, or have
 * separators inside and either a digit or no lower-case letter, as in `SKU-12345`, `WH/1000XM4` and `BRK.B`.
 */
export function mayBeIdentifier(word: string): boolean {
  // Most words have neither a digit nor a separator.
  if (word.length > MAX_IDENTIFIER_UNITS || !/[^A-Za-z\s]/.test(word)) return false
  const folded = foldWord(word)
  if (folded.length < MIN_UNITS) return false
  if (tradeNumber(folded) !== undefined) return true
  const isParted = /[\p{L}\p{N}][^\p{L}\p{N}\s]+[\p{L}\p{N}]/u.test(word)
  return isParted && (/\d/.test(folded) || word === word.toUpperCase())
}
