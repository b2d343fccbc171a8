import { ENDING_BITS } from '../../text/languages/english-endings.ts'

/**
 * The position of a term and its ending there (see `endingOf`), as one number: the lower {@link ENDING_BITS} bits are the ending. Position
 * lists store places, so quoted words are found as written, without a further list for each way to write a term.
 */
export type Place = number

/** Number of positions left free between title and body, so that no phrase matches across them. */
export const TITLE_GAP = 10

const ENDINGS = 2 ** ENDING_BITS

export function placeOf(position: number, ending: number): Place {
  return position * ENDINGS + ending
}

export function positionOf(place: Place): number {
  return place >>> ENDING_BITS
}

export function endingAt(place: Place): number {
  return place & (ENDINGS - 1)
}

/** Returns the set that contains only this ending. A set of endings is a number with one bit for each ending. */
export function onlyEnding(ending: number): number {
  return 1 << ending
}

/** True if the ending of a place is in a set of endings. */
export function hasEnding(place: Place, endings: number): boolean {
  return ((endings >>> endingAt(place)) & 1) === 1
}
