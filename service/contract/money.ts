/** Decimals of amounts in micro-dollars, and of USDC on every chain. */
export const TOKEN_DECIMALS = 6

/**
 * Reads an amount of US dollars, such as `4.00`, as whole micro-dollars: the smallest unit of USDC.
 *
 * @throws RangeError - for a text that is not digits with at most 6 decimals.
 */
export function microDollars(usd: string): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(usd) ?? []
  if (whole === undefined) throw new RangeError('an amount must be digits with at most 6 decimals, such as "4.00"')
  return BigInt(whole + fraction.padEnd(TOKEN_DECIMALS, '0'))
}

/** Reads a price of US dollars with at most 2 decimals as whole cents. */
export function cents(usd: string): number {
  return Number(microDollars(usd) / 10_000n)
}

/** Writes micro-dollars as US dollars with 2 to 6 decimals, such as `4.00` or `0.0125`. */
export function dollars(micros: bigint): string {
  const digits = micros.toString().padStart(TOKEN_DECIMALS + 1, '0')
  const fraction = digits.slice(-TOKEN_DECIMALS).replace(/0{1,4}$/, '')
  return `${digits.slice(0, -TOKEN_DECIMALS)}.${fraction}`
}

/** Writes micro-dollars for people, such as `$1,234.50`. */
export function usd(micros: bigint): string {
  const [whole = '', fraction] = dollars(micros).split('.')
  return `$${grouped(whole)}.${fraction}`
}

/** Writes a whole number with commas between the thousands. */
export function grouped(value: bigint | number | string): string {
  return value.toString().replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Divides whole numbers and rounds up. */
export function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
