import { printableJson } from '../characters/printable.ts'

/** Maximum number of characters of a value or name in an error message. */
export const MAX_SHOWN = 60

/** Formats a value for an error message, shortened if necessary. */
export function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length > MAX_SHOWN ? `${quoted(value.slice(0, MAX_SHOWN)).slice(0, -1)}…"` : quoted(value)
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'bigint' ? `${value}`.slice(0, MAX_SHOWN) : `a ${typeof value}`
}

function quoted(text: string): string {
  return printableJson(JSON.stringify(text))
}
