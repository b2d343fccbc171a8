import { foldWord } from '../characters/fold.ts'

/** Longest identifier that is indexed or looked up, in UTF-16 units. */
export const MAX_IDENTIFIER_UNITS = 64
/** Shortest word of a query that is looked up as an identifier, folded. */
const MIN_UNITS = 3

/**
 * Returns the form in which identifiers (SKU, MPN, GTIN, ISBN, ticker symbol) are compared:
 *
 * - Case and separators are ignored: `SKU-12345` and `sku 12345` have the same key.
 * - A GTIN or an ISBN with a valid check digit becomes the 14 digits of the GTIN: `3-16-148410-X`, `978-3-16-148410-0` and
 *   `9783161484100` have the same key.
 * - In any other number, separators between groups of digits count: `10-20` is not the article 1020.
 *
 * @returns '' for a text without a letter or digit, and for a text that is too long to be an identifier.
 */
export function identifierKey(text: string): string {
  if (text.length > MAX_IDENTIFIER_UNITS) return ''
  const folded = foldWord(text, MAX_IDENTIFIER_UNITS)
  const trade = tradeNumber(folded)
  if (trade !== undefined) return trade
  const groups = /^\d+$/.test(folded) ? text.match(/\d+/g) : null
  return groups && groups.length > 1 ? groups.join('-') : folded
}

/** Returns the 14 digits of a GTIN-8, UPC, EAN, GTIN-14, ISBN-10 or ISBN-13; `undefined` for any other text. */
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

/** Returns the sum of the digits, in which the first, third and so on count three times (GS1 General Specifications, 7.9). */
function weighDigits(digits: string): number {
  return [...digits].reduce((sum, digit, at) => sum + Number(digit) * (at % 2 === 0 ? 3 : 1), 0)
}

/**
 * True if a word of a query is looked up as an identifier, in addition to its plain words: if it is a valid GTIN or ISBN,
 * or if it has separators inside and either a digit or no lower-case letter, as `SKU-12345`, `WH/1000XM4` and `BRK.B` do.
 */
export function mayBeIdentifier(word: string): boolean {
  if (word.length > MAX_IDENTIFIER_UNITS) return false
  const folded = foldWord(word)
  if (folded.length < MIN_UNITS) return false
  if (tradeNumber(folded) !== undefined) return true
  const isParted = /[\p{L}\p{N}][^\p{L}\p{N}\s]+[\p{L}\p{N}]/u.test(word)
  return isParted && (/\d/.test(folded) || word === word.toUpperCase())
}
