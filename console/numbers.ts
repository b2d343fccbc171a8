const whole = new Intl.NumberFormat('en')

/** A whole number with separators, such as 1,204. */
export function count(number: number): string {
  return whole.format(number)
}

/** A duration such as 4.2 ms or 1.3 s. */
export function duration(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${ms >= 100 ? Math.round(ms) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2)} ms`
}

/** A score or weight with as many digits as a reader can compare. */
export function decimal(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(value !== 0 && Math.abs(value) < 0.1 ? 4 : 2)
}
