import { KeptArray } from '../kept-array.ts'
import type { StandingList } from './standing-list.ts'

/** What is kept of an open term, so that its captures are counted without reading its list again. */
export class TermStanding {
  /** The ends that were written with the segment. Undefined until a question about the past needs them. */
  written: StandingList | undefined
  /** The number of captures that stand after the last end. */
  latest = 0
  /** The state of the log that {@link latest} counts. */
  readonly latestOf: LogState = { size: -1, order: 0 }
  /** First 0, then for each entry of the log that the list holds: the entry, and how many captures more stand by it and the ones before, modulo 2³². */
  readonly held = new KeptArray<Uint32Array>()
  /** The state of the log whose entries {@link held} has. */
  readonly heldOf: LogState = { size: -1, order: 0 }
}

/** Says which entries of a log are counted: the first `size`, if the order of the log is still the same. */
export interface LogState {
  size: number
  order: number
}
