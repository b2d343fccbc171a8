import { listOf } from './structured-data.ts'

const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i
const LOCAL = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?)?$/

/** A time on a page. Without an offset it is the local time of a place, which cannot be converted to an instant. */
export interface WrittenTime {
  /** ISO 8601, UTC. */
  at?: string
  /** `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM`, without offset. */
  local?: string
}

/** Parses ISO 8601. Returns an empty object for other formats and for days that do not exist. */
export function timeOf(value: unknown): WrittenTime {
  const [first] = listOf(value)
  if (typeof first !== 'string' || first.length > 40) return {}
  const text = first.trim()
  const parts = LOCAL.exec(text)
  const isZoned = parts === null && ZONED.test(text)
  if (!parts && !isZoned) return {}
  const day = text.slice(0, 10)
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return {}
  if (parts) return { local: parts[2] === undefined ? day : `${day}T${parts[2]}` }
  const instant = new Date(text.toUpperCase().replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  return Number.isNaN(instant.getTime()) ? {} : { at: instant.toISOString() }
}
