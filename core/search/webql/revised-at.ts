import type { Revisions } from '../../segment/columns/revisions.ts'

/** The captures of a segment whose metadata are not those of their acquisition any more as of an instant. */
export interface RevisedAt {
  /** Ascending. */
  ordinals: Uint32Array
  /** Of each the row that is valid. */
  rows: Uint32Array
}

const known = new WeakMap<Revisions, RevisedAt & { instant: number }>()

/** Worked out once for each instant that is asked about in a row. */
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
