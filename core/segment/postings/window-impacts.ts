import { BLOCK } from '../../bytes/bit-packing.ts'
import { quantizeImpact, type Saturation } from '../ranking-model.ts'

/** Number of ordinals of one scoring window. A list has one impact per window: a single read decides if it is skipped. */
export const WINDOW = 4096

/** The number of windows that a list with this last ordinal reaches into, counted from the first of the segment. */
export function windowCount(last: number): number {
  return Math.floor(last / WINDOW) + 1
}

/**
 * Minimum number of postings per window from which the impacts of the windows are stored. They then take less than 4 % of the list, and
 * computing them would take about 12 ns per posting.
 */
export const WINDOWS_STORED_FROM = 16

/** True if a list stores the impacts of its windows; otherwise they are computed when it is opened. Part of the format. */
export function storesWindowImpacts(count: number, last: number): boolean {
  return count >= Math.max(BLOCK, WINDOWS_STORED_FROM * windowCount(last))
}

/** Raises the impacts in `windows` to those of the postings from `from` to `to`; returns the highest of these. */
export function raiseImpacts(
  ordinals: Uint32Array,
  frequencies: Uint32Array,
  from: number,
  to: number,
  saturation: Saturation,
  windows: Uint8Array,
): number {
  let highest = 0
  for (let i = from; i < to; i++) {
    const ordinal = ordinals[i]!
    const impact = quantizeImpact(saturation(ordinal, frequencies[i]!))
    const window = Math.floor(ordinal / WINDOW)
    if (impact > windows[window]!) windows[window] = impact
    if (impact > highest) highest = impact
  }
  return highest
}
