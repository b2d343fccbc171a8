import { isInexactInteger } from './field-values.ts'

/** Matches digits that may be a number which JavaScript rounds. Most texts have none, so their values need not be tested one by one. */
const MANY_DIGITS = /(?:\d\.?){16}/

/**
 * Parses JSON as `JSON.parse` does, but returns an integer that a number does not hold exactly (RFC 8259, 6) as a `bigint`, so that
 * the caller can refuse it by name, or keep its digits. Integers that are written with a fraction or an exponent are numbers.
 *
 * @throws SyntaxError - the text is not JSON.
 * @throws RangeError - the text has 16 digits in a row, and is nested too deep to test each value.
 */
export function parseExactJson(text: string): unknown {
  return parsed(text, BigInt)
}

/** Parses JSON as {@link parseExactJson} does, but returns an integer that a number does not hold exactly as the text of its digits. */
export function parseJsonWithDigits(text: string): unknown {
  return parsed(text, digits => digits)
}

/**
 * Formats JSON with two spaces of indentation for each level. All numbers with many digits are as in the text.
 *
 * @throws SyntaxError - the text is not JSON.
 * @throws RangeError - the text is nested too deep.
 */
export function prettyJson(text: string): string {
  const asWritten: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJson(source) : value
  return JSON.stringify(MANY_DIGITS.test(text) ? JSON.parse(text, asWritten as JsonReviver) : JSON.parse(text), null, 2)
}

function parsed(text: string, fromDigits: (digits: string) => unknown): unknown {
  const keepDigits: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && isInexactInteger(source) ? fromDigits(source) : value
  return MANY_DIGITS.test(text) ? JSON.parse(text, keepDigits as JsonReviver) : JSON.parse(text)
}

/** A reviver with the text of each value (ECMA-262, JSON.parse source text access), which the types of Node 22 leave out. */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
type JsonReviver = (this: unknown, key: string, value: unknown) => unknown

/** A number that `JSON.stringify` writes as in its text, from the same proposal. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown }
