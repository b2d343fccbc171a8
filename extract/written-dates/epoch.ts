import type { Refusal } from './timestamp.ts'

/** Unix epoch as text: 9 to 11 digits are seconds, maybe with a fraction, and 12 or 13 are milliseconds. */
const EPOCH = /^(?:(\d{9,11})(?:\.(\d{1,9}))?|(\d{12,13})(?:\.\d+)?)$/

/**
 * Reads a Unix epoch that is written as text, as CSV has it.
 *
 * @returns epoch ms; a refusal for a number whose unit is not clear; undefined for a text that is no number.
 */
export function readEpoch(text: string): number | Refusal | undefined {
  if (!/^[+-]?\d+(?:\.\d*)?$/.test(text)) return undefined
  const [, seconds, fraction = '', milliseconds] = EPOCH.exec(text) ?? []
  if (milliseconds !== undefined) return Number(milliseconds)
  if (seconds !== undefined) return Number(seconds) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
  return { reason: 'is a number that may be a day, seconds or milliseconds' }
}
