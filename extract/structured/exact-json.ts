import { MAX_SHOWN } from '../errors/shown-value.ts'

/**
 * Matches digits that may be a number which JavaScript rounds. Most texts have none, so that their values need not be tested one by one.
 */
const MANY_DIGITS = /(?:\d\.?){16}/

/**
 * Parses JSON as `JSON.parse` does, but returns an integer that a number does not hold exactly (RFC 8259, 6) as a `bigint`, so that
 * the caller can refuse it by name, or keep its digits. Integers that are written with a fraction or an exponent are numbers.
 *
 * @throws SyntaxError - the text is not JSON.
 * @throws RangeError - the text has 16 digits in a row, and is nested too deep to test each value.
 */
export function parseExactJson(text: string): unknown {
  return parsed(text, withInexactAs(BigInt))
}

/** Parses JSON as {@link parseExactJson} does, but returns an integer that a number does not hold exactly as the text of its digits. */
export function parseJsonWithDigits(text: string): unknown {
  return parsed(
    text,
    withInexactAs(digits => digits),
  )
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
  return JSON.stringify(parsed(text, asWritten), null, 2)
}

/** Parses JSON, with a reviver if the text may have a number that JavaScript rounds. */
function parsed(text: string, reviver: Reviver): unknown {
  return MANY_DIGITS.test(text) ? JSON.parse(text, reviver as JsonReviver) : JSON.parse(text)
}

/** Returns a reviver that replaces each integer that a number does not hold exactly by the result of `fromDigits`. */
function withInexactAs(fromDigits: (digits: string) => unknown): Reviver {
  return (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && isInexactInteger(source) ? fromDigits(source) : value
}

/** A reviver with the text of each value (ECMA-262, JSON.parse source text access), which the types of Node 22 leave out. */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
type JsonReviver = (this: unknown, key: string, value: unknown) => unknown

/** Returns a value that `JSON.stringify` writes as a number with the given digits. It is part of the same proposal. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown }

/**
 * Returns the end of an error message for an integer that a number does not hold exactly. As a number it would be another integer.
 *
 * @param value - as read from JSON, or its digits.
 */
export function inexact(value: bigint | string): string {
  return `is ${String(value).slice(0, MAX_SHOWN)}, an integer beyond 2^53, which a number does not hold exactly; write it as a string`
}

/** True for the text of an integer that a number does not hold exactly (RFC 8259, 6). */
export function isInexactInteger(text: string): boolean {
  return text.length > 15 && /^[-+]?\d+$/.test(text) && !Number.isSafeInteger(Number(text))
}
