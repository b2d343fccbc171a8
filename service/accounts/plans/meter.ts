import { ceilDivide, dollars, microDollars } from '../../contract/money.ts'
import type { Plan } from './plan.ts'

/** How the calls of a service are counted and priced (spec part 8). */
export interface Meter {
  name: 'requests'
  /** Number of calls that cost `price_usd`. */
  unit: number
  /**
   * Lowest price of `unit` calls among the plans for sale, US dollars. Undefined if no plan for sale covers the
   * service.
   */
  price_usd?: string
  free_units: 0
}

const UNIT = 1_000

/** Returns the price of {@link UNIT} calls of a plan in micro-dollars, rounded up. */
function unitPrice({ price_usd, units }: Plan): bigint {
  return ceilDivide(microDollars(price_usd) * BigInt(UNIT), BigInt(units))
}

/**
 * Returns the meter of a service.
 *
 * @param plans - the plans for sale that cover the service.
 */
export function meterOf(plans: readonly Plan[]): Meter {
  const [lowest] = plans.map(unitPrice).sort((a, b) => Number(a > b) - Number(a < b))
  return { name: 'requests', unit: UNIT, price_usd: lowest === undefined ? undefined : dollars(lowest), free_units: 0 }
}
