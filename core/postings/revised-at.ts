import type { Revisions } from '../segment/columns/revisions.ts'

/** The captures of a segment whose metadata was revised by an instant. */
export interface RevisedAt {
  /** The ordinals of these captures, ascending. */
  ordinals: Uint32Array
  /** For each capture the row of the revisions that is valid at the instant. */
  rows: Uint32Array
}

const known = new WeakMap<Revisions, RevisedAt & { instant: number }>()

/** Lists the captures that were revised by an instant. The result for the last instant is cached. */
export function revisedAt(revisions: Revisions, instant: number): RevisedAt {
  const before = known.get(revisions)
  if (before?.instant === instant) return before
  const valid = [...revisions.validAt(instant)]
  const revised = {
    instant,
    ordinals: Uint32Array.from(valid, ({ ordinal }) => ordinal),
    rows: Uint32Array.from(valid, ({ row }) => row),
  }
  known.set(revisions, revised)
  return revised
}
