/** Length of the text by which a place is found, UTF-16 units. A shorter one is often in several places. */
const KEY_UNITS = 24
/** Maximum length of what Markdown adds between two places, relative to the text between them, and on top of that. */
const ADDED = 4
const ADDED_UNITS = 2_000

/** Matches characters that may be written in another way in Markdown. */
const MARKS = /[^\p{L}\p{N} .,:;'"’()%–—-]/u

/**
 * Finds places of a plain text in the Markdown that it was made from: the words there, in their order. A place may be wrong if its words are
 * also in an address or a mark before it. Then it only changes the score of a part, so the exact `WordPlaces` of quotes are not needed: they take
 * longer, because the whole text is split into words first, and a request has up to 20 pages.
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
    let place = placeOf(key, markdown, from, most)
    if (place < 0) {
      const word = /^[\p{L}\p{N}]+/u.exec(key)?.[0] ?? ''
      if (word.length < key.length) place = placeOf(word, markdown, from, most)
    }
    if (place < 0) return -1
    before = offset
    from = place + 1
    return place
  })
}

/** Returns the first place of a text from `from` to `most`; −1 if it is not there, or is empty. Reads nothing behind `most`. */
function placeOf(sought: string, markdown: string, from: number, most: number): number {
  const place = sought === '' ? -1 : markdown.slice(from, most + sought.length).indexOf(sought)
  return place < 0 ? -1 : from + place
}

/** Returns the text from an offset on, up to a character that Markdown may write in another way. */
function keyAt(text: string, offset: number): string {
  const key = text.slice(offset, offset + KEY_UNITS)
  const end = key.search(MARKS)
  return (end < 0 ? key : key.slice(0, end)).trimEnd()
}
