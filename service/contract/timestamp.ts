/**
 * Formats an instant as the wire does: ISO 8601, UTC. `undefined` if there is none.
 *
 * @param at - epoch ms; a fraction is dropped.
 * @throws RangeError - a `Date` can't hold it.
 */
export function timestamp(at: number): string
export function timestamp(at: number | undefined): string | undefined
export function timestamp(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString()
}
