import { isInexactInteger } from './field-values.ts'

/** Matches digits that may be an integer beyond 2^53. Most texts have none, so their values need not be tested one by one. */
const MANY_DIGITS = /\d{16}/

/**
 * Parses JSON as `JSON.parse` does, but returns an integer that a number does not hold exactly (RFC 8259, 6) as a `bigint`, so that
 * the caller can refuse it by name, or keep its digits. Integers that are written with a fraction or an exponent are numbers.
 *
 * @throws SyntaxError - the text is not JSON.
 * @throws RangeError - the text has 16 digits in a row, and is nested too deep to test each value.
 */
export function parseExactJson(text: string): unknown {
  return MANY_DIGITS.test(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text)
}

/** A reviver with the text of each value (ECMA-262, JSON.parse source text access), which the types of Node 22 leave out. */
type Reviver = (this: unknown, key: string, value: unknown) => unknown

function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && isInexactInteger(source) ? BigInt(source) : value
}
