/** Length of the text by which a place is found, UTF-16 units. A shorter one is often in several places. */
const KEY_UNITS = 24
/** Maximum length of what Markdown adds between two places, relative to the text between them, and on top of that. */
const ADDED = 4
const ADDED_UNITS = 2_000

/** Matches characters that may be written in another way in Markdown. */
const MARKS = /[^\p{L}\p{N} .,:;'"’()%–—-]/u

/**
 * Finds places of a plain text in the Markdown that it was made from: the words there, in their order. A place may be wrong if its words are
 * also in an address or a mark before it.
 *
 * @param offsets - the places in the text, ascending.
 * @returns the places in the Markdown, ascending; −1 for one that was not found.
 */
export function findPlaces(text: string, markdown: string, offsets: readonly number[]): number[] {
  let before = 0
  let from = 0
  return offsets.map(offset => {
    const most = from + ADDED * (offset - before) + ADDED_UNITS
    const key = keyAt(text, offset)
    let place = key.length > 0 ? markdown.indexOf(key, from) : -1
    if (place < 0 || place > most) {
      const word = /^[\p{L}\p{N}]+/u.exec(key)?.[0] ?? ''
      place = word.length > 0 && word.length < key.length ? markdown.indexOf(word, from) : -1
      if (place > most) place = -1
    }
    if (place < 0) return -1
    before = offset
    from = place + 1
    return place
  })
}

/** Returns the text from an offset on, up to a character that Markdown may write in another way. */
function keyAt(text: string, offset: number): string {
  const key = text.slice(offset, offset + KEY_UNITS)
  const end = key.search(MARKS)
  return (end < 0 ? key : key.slice(0, end)).trimEnd()
}
