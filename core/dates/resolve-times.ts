import type { TimeInput } from '../page.ts'
import { before, readDelta, truncatedToMinute } from './delta.ts'
import { FILTER_FORMS, invalidTime, QUERY_TIME_FORMS, type Refusal, readInstant, readNumeric } from './instant.ts'

/** The times of a request as they came in; null, undefined and '' mean "not given". */
export interface TimeFilters {
  queryTime?: TimeInput | null | undefined
  acquiredAfter?: TimeInput | null | undefined
  acquiredBefore?: TimeInput | null | undefined
  publishedAfter?: TimeInput | null | undefined
  publishedBefore?: TimeInput | null | undefined
}

/** A stretch of time, both ends inclusive, epoch ms; an open end is infinite. Empty when `from` is after `to`. */
export interface TimeWindow {
  from: number
  to: number
}

export interface ResolvedTimes {
  /** The as-of cut, epoch ms, never after the request; undefined if no `queryTime` was given. */
  queryAt: number | undefined
  acquired: TimeWindow
  /** Undefined when neither bound was given: then pages without a publish date may match too. */
  published: TimeWindow | undefined
}

/** What a filter's deltas are measured from. */
interface Origin {
  at: number
  truncates: boolean
  weeks: boolean
}

/** A `queryTime` that is ahead of the engine's clock by no more than this means now: callers' clocks differ a little. */
export const CLOCK_TOLERANCE_MS = 60_000

const EPOCH = /^(?:(\d{9,11})(?:\.(\d+))?|(\d{12,14}))$/

/**
 * Resolves the times of one request (spec 2.4 and 2.5).
 *
 * @param requestAt - the one reading of the clock for this request, epoch ms.
 * @param options.weeksInFilters - whether the four filters take the unit `w`, as `queryTime` always does. Default false.
 * @throws ASOF_INVALID_TIME - a value in no accepted form, or a `queryTime` more than {@link CLOCK_TOLERANCE_MS} after
 *   `requestAt`; `details` holds `field`, the name of the filter, and `value`.
 */
export function resolveTimes(
  input: TimeFilters,
  requestAt: number,
  options: { weeksInFilters?: boolean } = {},
): ResolvedTimes {
  const queryAt = isGiven(input.queryTime) ? resolveQueryTime(input.queryTime, requestAt) : undefined
  const origin: Origin = {
    at: queryAt ?? requestAt,
    truncates: queryAt === undefined,
    weeks: options.weeksInFilters ?? false,
  }
  const hasPublished = isGiven(input.publishedAfter) || isGiven(input.publishedBefore)
  return {
    queryAt,
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
 * Resolves a `queryTime` by itself.
 *
 * @param requestAt - the one reading of the clock for this request, epoch ms.
 * @returns epoch ms.
 * @throws ASOF_INVALID_TIME - as {@link resolveTimes} does.
 */
export function queryInstant(queryTime: TimeInput, requestAt: number): number {
  return resolveTimes({ queryTime }, requestAt).queryAt ?? requestAt
}

function isGiven(value: TimeInput | null | undefined): value is TimeInput {
  return value !== undefined && value !== null && value !== ''
}

function resolveQueryTime(value: TimeInput, requestAt: number): number {
  const at = typeof value === 'string' ? readQueryTime(value, requestAt) : readNumeric(value)
  if (typeof at !== 'number') throw invalidTime('queryTime', value, at.reason, QUERY_TIME_FORMS)
  if (at > requestAt + CLOCK_TOLERANCE_MS) {
    const clock = new Date(requestAt).toISOString()
    throw invalidTime('queryTime', value, `lies in the future: the clock here says ${clock}`, QUERY_TIME_FORMS)
  }
  // The instant of an answer is never in the future: what was acquired until then would change it.
  return Math.min(at, requestAt)
}

function readQueryTime(text: string, requestAt: number): number | Refusal {
  const delta = readDelta(text)
  if (delta) return truncatedToMinute(before(requestAt, delta))
  const epoch = EPOCH.exec(text)
  if (!epoch) return readInstant(text, 'start')
  const [, seconds, fraction = '', milliseconds] = epoch
  return Number(milliseconds ?? seconds + fraction.slice(0, 3).padEnd(3, '0'))
}

function resolveBound(
  field: 'acquiredAfter' | 'acquiredBefore' | 'publishedAfter' | 'publishedBefore',
  value: TimeInput | null | undefined,
  origin: Origin,
): number {
  const isLower = field.endsWith('After')
  if (!isGiven(value)) return isLower ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  const at = typeof value === 'string' ? readFilter(value, isLower, origin) : readNumeric(value)
  if (typeof at !== 'number') throw invalidTime(field, value, at.reason, FILTER_FORMS)
  return at
}

function readFilter(text: string, isLower: boolean, origin: Origin): number | Refusal {
  const delta = readDelta(text)
  if (!delta) return readInstant(text, isLower ? 'start' : 'end')
  if (delta.unit === 'w' && !origin.weeks) return { reason: 'counts in weeks, which only queryTime does here' }
  const at = before(origin.at, delta)
  return origin.truncates ? truncatedToMinute(at) : at
}
