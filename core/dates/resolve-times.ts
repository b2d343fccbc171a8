import { type Refusal, readInstant } from '@asof/extract/timestamp'
import type { TimeInput } from '../page.ts'
import { before, readDelta, truncateToMinute } from './delta.ts'
import { FILTER_FORMS, FILTER_FORMS_WITH_WEEKS, invalidTime, QUERY_TIME_FORMS, readNumeric } from './instant.ts'

/** The times of a request as its caller wrote them. A time that is null, undefined or '' is absent. */
export interface TimeFilters {
  queryTime?: TimeInput | null | undefined
  acquiredAfter?: TimeInput | null | undefined
  acquiredBefore?: TimeInput | null | undefined
  publishedAfter?: TimeInput | null | undefined
  publishedBefore?: TimeInput | null | undefined
}

/**
 * A range of time in epoch ms, both ends included. The range is empty if `from` is after `to`. An open end is
 * ±Infinity.
 */
export interface TimeWindow {
  from: number
  to: number
}

export interface ResolvedTimes {
  /** The instant that `queryTime` means, epoch ms, never after the current time. Undefined if the request has no `queryTime`. */
  queryTime: number | undefined
  /** Only captures acquired in this window match. */
  acquired: TimeWindow
  /**
   * Only pages published in this window match. If the request sets no bound, the window is undefined and pages without
   * a publish date match too.
   */
  published: TimeWindow | undefined
}

/** How a filter turns a delta such as `7d` into an instant. */
export interface DeltaOrigin {
  /** The instant from which deltas are counted back, epoch ms. */
  at: number
  /** True if the resulting instant is truncated to the minute. */
  truncates: boolean
  /** True if the unit `w` is accepted. */
  weeks: boolean
}

/**
 * How far a `queryTime` may be ahead of the engine's clock, because the clocks of callers differ a little. Such a
 * `queryTime` means now.
 */
export const CLOCK_TOLERANCE_MS = 60_000

const EPOCH = /^(?:(\d{9,11})(?:\.(\d+))?|(\d{12,14}))$/

/**
 * Resolves the times of one request (spec 2.4 and 2.5).
 *
 * @param requestedAt - the current time, epoch ms. The clock is read once per request.
 * @param options.weeksInFilters - true if the four filters accept the unit `w`. `queryTime` always does. Default false.
 * @throws ASOF_INVALID_TIME - a value has no accepted form, or `queryTime` is more than {@link CLOCK_TOLERANCE_MS} after
 *   `requestedAt`. `details` contains `field`, the name of the filter, and `value`.
 */
export function resolveTimes(
  input: TimeFilters,
  requestedAt: number,
  options: { weeksInFilters?: boolean } = {},
): ResolvedTimes {
  const queryTime = isGiven(input.queryTime) ? resolveQueryTime(input.queryTime, requestedAt) : undefined
  const origin = deltaOrigin(queryTime, requestedAt, options.weeksInFilters)
  const hasPublished = isGiven(input.publishedAfter) || isGiven(input.publishedBefore)
  return {
    queryTime,
    acquired: {
      from: resolveBound('acquiredAfter', input.acquiredAfter, origin),
      to: resolveBound('acquiredBefore', input.acquiredBefore, origin),
    },
    published: hasPublished
      ? {
          from: resolveBound('publishedAfter', input.publishedAfter, origin),
          to: resolveBound('publishedBefore', input.publishedBefore, origin),
        }
      : undefined,
  }
}

/**
 * Returns how the filters of a request turn deltas into instants (spec 2.4).
 *
 * @param queryTime - what the `queryTime` of the request means, epoch ms; undefined if it has none.
 * @param requestedAt - the current time, epoch ms.
 * @param weeks - true if the unit `w` is accepted. Default false.
 */
export function deltaOrigin(queryTime: number | undefined, requestedAt: number, weeks = false): DeltaOrigin {
  return { at: queryTime ?? requestedAt, truncates: queryTime === undefined, weeks }
}

/** Returns the first and the last millisecond of a time in a filter (spec 2.4). For a date these are the start and the end of the day. */
export function filterSpan(text: string, origin: DeltaOrigin): TimeWindow | Refusal {
  const from = readFilter(text, 'start', origin)
  if (typeof from !== 'number') return from
  const to = readFilter(text, 'end', origin)
  return typeof to === 'number' ? { from, to } : to
}

/**
 * Resolves the `queryTime` of a request without filters.
 *
 * @param requestedAt - the current time, epoch ms.
 * @returns epoch ms.
 * @throws ASOF_INVALID_TIME - as {@link resolveTimes} does.
 */
export function queryInstant(queryTime: TimeInput, requestedAt: number): number {
  return resolveTimes({ queryTime }, requestedAt).queryTime ?? requestedAt
}

function isGiven(value: TimeInput | null | undefined): value is TimeInput {
  return value !== undefined && value !== null && value !== ''
}

function resolveQueryTime(value: TimeInput, requestedAt: number): number {
  const at = typeof value === 'string' ? readQueryTime(value, requestedAt) : readNumeric(value)
  if (typeof at !== 'number') throw invalidTime('queryTime', value, at.reason, QUERY_TIME_FORMS)
  if (at > requestedAt + CLOCK_TOLERANCE_MS) {
    const clock = new Date(requestedAt).toISOString()
    throw invalidTime('queryTime', value, `lies in the future: the clock here says ${clock}`, QUERY_TIME_FORMS)
  }
  // An answer as of a future instant could change, because captures may be acquired before that instant.
  return Math.min(at, requestedAt)
}

function readQueryTime(text: string, requestedAt: number): number | Refusal {
  const delta = readDelta(text)
  if (delta) return truncateToMinute(before(requestedAt, delta))
  const epoch = EPOCH.exec(text)
  if (!epoch) return readInstant(text, 'start')
  const [, seconds, fraction = '', milliseconds] = epoch
  return Number(milliseconds ?? seconds + fraction.slice(0, 3).padEnd(3, '0'))
}

function resolveBound(
  field: 'acquiredAfter' | 'acquiredBefore' | 'publishedAfter' | 'publishedBefore',
  value: TimeInput | null | undefined,
  origin: DeltaOrigin,
): number {
  const isLower = field.endsWith('After')
  if (!isGiven(value)) return isLower ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  const at = typeof value === 'string' ? readFilter(value, isLower ? 'start' : 'end', origin) : readNumeric(value)
  if (typeof at !== 'number') throw invalidTime(field, value, at.reason, filterForms(origin))
  return at
}

/** Returns the accepted forms of a time in a filter, for an error. */
export function filterForms({ weeks }: DeltaOrigin): string {
  return weeks ? FILTER_FORMS_WITH_WEEKS : FILTER_FORMS
}

function readFilter(text: string, dayEdge: 'start' | 'end', origin: DeltaOrigin): number | Refusal {
  const delta = readDelta(text)
  if (!delta) return readInstant(text, dayEdge)
  if (delta.unit === 'w' && !origin.weeks) return { reason: 'is in weeks, which only queryTime accepts here' }
  const at = before(origin.at, delta)
  return origin.truncates ? truncateToMinute(at) : at
}
