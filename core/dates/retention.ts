import { AsofError } from '@asof/extract/errors'
import { EARLIEST_AT } from '@asof/extract/timestamp'
import { before, readDelta } from './delta.ts'

/**
 * Reads how long superseded captures are kept: a delta such as `90d`, `6mo` or `2y`, or a number of milliseconds.
 *
 * @returns a function from the current instant to the cutoff, both in epoch ms. Captures that were superseded before the cutoff expire.
 * @throws ASOF_INVALID_OPTION - the value is neither; `details.field` is `retain`.
 */
export function readRetention(value: string | number): (at: number) => number {
  const delta = typeof value === 'string' ? readDelta(value) : undefined
  if (delta) return at => before(at, delta)
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0)
    return at => Math.max(EARLIEST_AT, Math.floor(at - value))
  const given = typeof value === 'string' ? `"${value.slice(0, 100)}"` : String(value)
  throw new AsofError(
    'ASOF_INVALID_OPTION',
    `retain: ${given} is not a duration; expected a delta (36h, 90d, 12w, 6mo, 2y) or milliseconds, 0 or more`,
    { details: { field: 'retain' } },
  )
}
