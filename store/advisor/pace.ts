/** The share by which a pace may exceed a limit, because sums of fractions are not exact. */
const ROUNDING = 1e-9

/**
 * Returns true if a limit of calls a second allows a pace.
 *
 * @param pace - calls a second. If undefined, every limit allows it.
 */
export function keepsPace(limit: number, pace: number | undefined): boolean {
  return pace === undefined || pace <= limit * (1 + ROUNDING)
}

/** Writes a pace with at most two decimals, rounded up: `12.5`. */
export function paceText(pace: number): string {
  return String(Math.ceil(pace * 100 * (1 - ROUNDING)) / 100)
}
