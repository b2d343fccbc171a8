import { AsofError } from '@asof/extract/errors'

/** Processor time that a search may take unless `open` was given another limit; milliseconds. */
export const DEFAULT_SEARCH_TIMEOUT_MS = 5_000

/** Ends a search that is to be answered on another thread, because it took more processor time than its own thread can spend on it. */
export class SearchAbandoned extends Error {}

/**
 * How long a search runs, by the monotonic clock, before its processor time is measured, milliseconds. Before that, all elapsed time counts as
 * processor time. Reading the processor clock at once would take 2 % of the time of a search for a rare word.
 */
const UNMEASURED_MS = 1

let limitMs = Number.POSITIVE_INFINITY
/** True if a search that reaches the limit throws {@link SearchAbandoned}; false if it throws `ASOF_SEARCH_TIMEOUT`. */
let isAbandoned = false
/** Processor time of this thread when the search began, milliseconds; NaN until it is measured. */
let beganMs = Number.NaN
/** The earliest time, by the monotonic clock, at which the search can have used up its processor time. */
let earliestMs = Number.POSITIVE_INFINITY

/**
 * Starts measuring the processor time of a search. A thread runs one search at a time, so the state is global to the
 * thread. {@link endSearchTime} ends the measurement.
 *
 * @param timeoutMs - processor time of this thread after which the search has failed, milliseconds.
 * @param mostMs - processor time after which the search is abandoned, to be run on another thread, milliseconds. Default:
 *   never.
 */
export function beginSearchTime(timeoutMs: number, mostMs: number = Number.POSITIVE_INFINITY): void {
  isAbandoned = mostMs < timeoutMs
  limitMs = Math.min(mostMs, timeoutMs)
  beganMs = Number.NaN
  earliestMs = performance.now() + Math.min(limitMs, UNMEASURED_MS)
}

export function endSearchTime(): void {
  earliestMs = Number.POSITIVE_INFINITY
}

/**
 * Aborts a search that has used up its processor time. Every long loop calls this between steps of about a millisecond or
 * less, at points where the search can be aborted. One call takes about 50 ns.
 *
 * @throws ASOF_SEARCH_TIMEOUT, SearchAbandoned
 */
export function checkSearchTime(): void {
  if (performance.now() < earliestMs) return
  if (Number.isNaN(beganMs)) beganMs = threadMs() - Math.min(limitMs, UNMEASURED_MS)
  const leftMs = limitMs - (threadMs() - beganMs)
  if (leftMs <= 0 && isAbandoned) throw new SearchAbandoned()
  if (leftMs <= 0)
    throw new AsofError(
      'ASOF_SEARCH_TIMEOUT',
      `the search took over ${limitMs} ms of processor time: ask with fewer words, phrases, exclusions or patterns, or for fewer results`,
    )
  earliestMs = performance.now() + leftMs
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
