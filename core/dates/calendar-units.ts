import { EARLIEST_AT } from '@asof/extract/timestamp'

/** A unit of the calendar in UTC. A period is one of them, such as a certain month. Instants are epoch ms. */
interface Unit {
  /** The length of the shortest period, milliseconds. */
  leastMs: number
  /** Returns the start of the period that contains an instant. A week may start before the earliest instant. */
  startOf(at: number): number
  /** Returns the start of the period after the one that starts at `start`. */
  endOf(start: number): number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** 1970-01-01 was a Thursday. Weeks begin on Monday (ISO 8601). */
const FIRST_MONDAY_MS = 4 * DAY_MS

function fixed(lengthMs: number, origin = 0): Unit {
  return {
    leastMs: lengthMs,
    startOf: at => Math.floor((at - origin) / lengthMs) * lengthMs + origin,
    endOf: start => start + lengthMs,
  }
}

/** Returns the first millisecond of a month; the earliest instant if the month begins before it. */
function firstOfMonth(year: number, month: number): number {
  // `Date.UTC` takes the years 0 to 99 for 1900 to 1999.
  const start = new Date(0).setUTCFullYear(year, month, 1)
  return Number.isNaN(start) ? EARLIEST_AT : start
}

/** The units of the calendar, shortest first. */
export const calendarUnits = {
  minute: fixed(MINUTE_MS),
  hour: fixed(HOUR_MS),
  day: fixed(DAY_MS),
  week: fixed(7 * DAY_MS, FIRST_MONDAY_MS),
  month: {
    leastMs: 28 * DAY_MS,
    startOf: at => firstOfMonth(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth()),
    endOf: start => firstOfMonth(new Date(start).getUTCFullYear(), new Date(start).getUTCMonth() + 1),
  },
  year: {
    leastMs: 365 * DAY_MS,
    startOf: at => firstOfMonth(new Date(at).getUTCFullYear(), 0),
    endOf: start => firstOfMonth(new Date(start).getUTCFullYear() + 1, 0),
  },
} satisfies Record<string, Unit>

/** A unit of the calendar, such as `month`. */
export type CalendarUnit = keyof typeof calendarUnits
