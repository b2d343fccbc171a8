/** An instant in epoch milliseconds, or undefined for now. */
export type Moment = number | undefined

/** Which moments the search is answered as of. `against` is the second one, if two are compared. */
export interface Moments {
  at: Moment
  /** `null`: the moments are not compared. */
  against: Moment | null
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
const secondFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' })
const localFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })

/** A day such as 3 Mar 2025, in UTC. */
export function dayText(at: number): string {
  return dayFormat.format(at)
}

/** A day and time such as 3 Mar 2025, 14:05 UTC. Midnight is written out, because it is a moment too. */
export function momentText(at: number): string {
  return `${dayFormat.format(at)}, ${timeFormat.format(at)} UTC`
}

/** Like {@link momentText}, with seconds. */
export function exactText(at: number): string {
  return `${dayFormat.format(at)}, ${secondFormat.format(at)} UTC`
}

/** The same instant where the reader is. */
export function localText(at: number): string {
  return `${localFormat.format(at)} (your time)`
}

/** The form of an instant in addresses and requests: ISO 8601, UTC. */
export function isoText(at: number): string {
  return new Date(at).toISOString()
}

/** Reads an instant from an address. Returns undefined if the address has no instant, or a malformed one. */
export function readMoment(text: string | null): Moment {
  const at = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}

const deltaMs: Readonly<Record<string, number>> = { min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * Reads a moment that a reader typed: a day, a day and a time in UTC, or a delta back from now such as 30d or 6mo.
 *
 * @returns undefined for an empty text and for a moment that has not come, which mean now; `NaN` for a text in no such form.
 */
export function readTyped(text: string, now: number): Moment {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const [, amount = '', unit = ''] = /^(\d{1,6}) ?(min|h|d|w|mo|y)$/.exec(trimmed) ?? []
  if (unit === 'mo' || unit === 'y') {
    const date = new Date(now)
    date.setUTCMonth(date.getUTCMonth() - Number(amount) * (unit === 'y' ? 12 : 1))
    return date.getTime()
  }
  if (unit !== '') return now - Number(amount) * (deltaMs[unit] ?? 0)
  const isUtc = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?Z?$/.test(trimmed)
  const at = isUtc
    ? Date.parse(`${trimmed.replace(' ', 'T').replace(/Z$/, '')}${trimmed.length > 10 ? 'Z' : ''}`)
    : Number.NaN
  return at >= now ? undefined : at
}
