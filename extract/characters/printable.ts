// Invisible characters that change how a terminal shows a text: controls (C0, DEL, C1), the marks, embeddings, overrides and isolates
// of the Unicode Bidirectional Algorithm (UAX #9, 2), and the separators of lines and paragraphs.
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/g
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const unsafeInJson = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * Returns a text that cannot change how a terminal shows it. The text of a page may contain characters that move the cursor, change
 * settings or reverse the order of what follows. Controls and separators of lines become spaces, except line ends (`\n`) and tabs;
 * controls of the writing direction are left out.
 */
export function printable(text: string): string {
  return text.replace(controls, ' ').replace(directions, '')
}

/** Returns a text on one line, as {@link printable}, without white space at its ends. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim()
}

/**
 * Returns a JSON text with the same value, in which the characters that {@link printable} replaces are escaped. JSON itself escapes
 * only those below U+0020. Changes neither printable text nor the style codes of a terminal.
 */
export function printableJson(json: string): string {
  return json.replace(unsafeInJson, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
