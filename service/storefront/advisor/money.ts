const DECIMALS = 6

/**
 * Reads an amount of US dollars as whole micro-dollars.
 *
 * @throws RangeError - for a text that is not digits with at most 6 decimals.
 */
export function microDollars(usd: string): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(usd) ?? []
  if (whole === undefined) throw new RangeError('an amount must be digits with at most 6 decimals, such as "4.00"')
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'))
}

/** Writes micro-dollars as US dollars with 2 to 6 decimals, such as `$4.00` or `$0.0125`. */
export function usd(micros: bigint): string {
  const digits = micros.toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0{1,4}$/, '')
  return `$${grouped(digits.slice(0, -DECIMALS))}.${fraction}`
}

/** Writes a whole number with commas between the thousands. */
export function grouped(value: bigint | number | string): string {
  return value.toString().replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Divides whole numbers and rounds up. */
export function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
