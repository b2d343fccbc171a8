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

const deltaMs: Readonly<Record<string, number>> = { min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** A moment that was read from a text. */
export interface ReadMoment {
  /** Undefined if the text means now, or has a problem. */
  moment: Moment
  /** `unread`: the text has none of the forms. `future`: the moment has not come. */
  problem?: 'unread' | 'future'
}

const DAY = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?)?$/i

/**
 * Reads a day, or a day and a time, which is in UTC if it has no offset.
 *
 * @returns epoch ms; `NaN` for any other text, and for days that do not exist, such as 30 February.
 */
function readDay(text: string): number {
  const [, day = '', time = '00:00', zone = 'Z'] = DAY.exec(text) ?? []
  const midnight = Date.parse(`${day}T00:00Z`)
  // Browsers read 30 February as 2 March.
  if (Number.isNaN(midnight) || !isoText(midnight).startsWith(day)) return Number.NaN
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : 'Z'
  return Date.parse(`${day}T${time}${offset}`)
}

/** Reads a delta back from now, such as 30d or 6mo. @returns epoch ms; `NaN` for any other text. */
function readDelta(text: string, now: number): number {
  const [, amount = '', unit = ''] = /^(\d{1,6}) ?(min|h|d|w|mo|y)$/i.exec(text) ?? []
  const name = unit.toLowerCase()
  if (name !== 'mo' && name !== 'y') return now - Number(amount) * (deltaMs[name] ?? Number.NaN)
  const date = new Date(now)
  date.setUTCMonth(date.getUTCMonth() - Number(amount) * (name === 'y' ? 12 : 1))
  return date.getTime()
}

/**
 * Reads a moment from a field or an address: a day, a day and a time, or a delta back from now, such as 30d. An empty text and `now` mean
 * now.
 */
export function readMoment(text: string, now: number): ReadMoment {
  const trimmed = text.trim()
  if (/^(?:now)?$/i.test(trimmed)) return { moment: undefined }
  const delta = readDelta(trimmed, now)
  const at = Number.isNaN(delta) ? readDay(trimmed) : delta
  if (Number.isNaN(at)) return { moment: undefined, problem: 'unread' }
  return at > now ? { moment: undefined, problem: 'future' } : { moment: at }
}
