/** Sums of fractions are not exact, so a pace may exceed a limit by this share. */
const ROUNDING = 1e-9

/**
 * Returns true if a limit of calls a second allows a pace.
 *
 * @param pace - calls a second. Undefined: any limit will do.
 */
export function keepsPace(limit: number, pace: number | undefined): boolean {
  return pace === undefined || pace <= limit * (1 + ROUNDING)
}

/** Writes a pace with at most two decimals, rounded up: `12.5`. */
export function paceText(pace: number): string {
  return String(Math.ceil(pace * 100 * (1 - ROUNDING)) / 100)
}
