import { ENDING_BITS } from '../../text/languages/english-endings.ts'

/**
 * Where a term occurs, and how it is written there, as one number: its position in the upper bits, and its ending (see `endingOf`)
 * in the lower {@link ENDING_BITS}. Position lists hold places, so that a quoted word is found as written without a list of its own.
 */
export type Place = number

export function placeOf(position: number, ending: number): Place {
  return position * 2 ** ENDING_BITS + ending
}

export function positionOf(place: Place): number {
  return place >>> ENDING_BITS
}

/** The set that contains only one ending, as the bits of a number. */
export function onlyEnding(ending: number): number {
  return 1 << ending
}

/** True if the ending of a place is in a set of endings. */
export function hasEnding(place: Place, endings: number): boolean {
  return ((endings >>> (place & (2 ** ENDING_BITS - 1))) & 1) === 1
}
