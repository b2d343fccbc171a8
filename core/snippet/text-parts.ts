/** A text in pieces. Each piece can be read without the others. */
export interface SnippetText {
  count: number
  piece: (index: number) => string
}

/**
 * Minimum length of the part of a text from which passages are chosen, UTF-16 units. Most texts are shorter and are one
 * part.
 */
const PART_UNITS = 256 * 1024
/**
 * Maximum number of pieces of a text that is searched from its beginning. In a longer text the search starts where the
 * index has a match.
 */
const MAX_PIECES = 16
/** Maximum number of pieces that are searched around that match. */
const MAX_PIECES_AROUND = 32

/** True if only a part of a text is searched. @param count - number of pieces. */
export function isSearchedAround(count: number): boolean {
  return count > MAX_PIECES
}

/** Returns the piece after the part that begins with a piece. @param unitsOf - returns the number of UTF-16 units of a piece. */
export function endOfPart(from: number, count: number, unitsOf: (index: number) => number): number {
  let end = from
  for (let units = 0; end < count && units < PART_UNITS; end++) units += unitsOf(end)
  return end
}

/**
 * Returns the matching piece that is nearest to a place. Undefined if no piece around it matches.
 *
 * @param place - as a share of the text, from 0 to 1.
 */
export function pieceNear(place: number, count: number, matches: (index: number) => boolean): number | undefined {
  const middle = Math.min(count - 1, Math.floor(place * count))
  for (let distance = 0; distance <= MAX_PIECES_AROUND / 2; distance++)
    for (const index of distance === 0 ? [middle] : [middle + distance, middle - distance])
      if (index >= 0 && index < count && matches(index)) return index
  return undefined
}
