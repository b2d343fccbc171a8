import type { Plan } from './plan.ts'

/** How the calls of a service are counted and priced (spec part 8). */
export interface Meter {
  name: 'requests'
  /** Number of calls that `price_usd` is for. */
  unit: number
  /** Lowest price of `unit` calls among the plans for sale, in US dollars. Absent if no plan for sale covers the service. */
  price_usd?: string
  free_units: 0
}

const UNIT = 1_000
const CENTS_DECIMALS = 2
const SHOWN_DECIMALS = 6

/** The price of {@link UNIT} calls of a plan in millionths of a dollar, rounded up. */
function unitPrice({ price_usd, units }: Plan): bigint {
  const [dollars = '0', fraction = ''] = price_usd.split('.')
  const cents = BigInt(dollars + fraction.padEnd(CENTS_DECIMALS, '0'))
  const total = cents * 10n ** BigInt(SHOWN_DECIMALS - CENTS_DECIMALS) * BigInt(UNIT)
  return (total + BigInt(units) - 1n) / BigInt(units)
}

/** Writes millionths of a dollar with 2 to 6 decimals, such as `4.00`. */
function dollars(millionths: bigint): string {
  const digits = String(millionths).padStart(SHOWN_DECIMALS + 1, '0')
  const fraction = digits.slice(-SHOWN_DECIMALS).replace(/0{1,4}$/, '')
  return `${digits.slice(0, -SHOWN_DECIMALS)}.${fraction}`
}

/** Returns the meter of a service. @param plans - those for sale that cover the service. */
export function meterOf(plans: readonly Plan[]): Meter {
  const [lowest] = plans.map(unitPrice).sort((a, b) => Number(a > b) - Number(a < b))
  return { name: 'requests', unit: UNIT, ...(lowest !== undefined && { price_usd: dollars(lowest) }), free_units: 0 }
}
