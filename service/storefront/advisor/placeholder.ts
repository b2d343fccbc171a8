/** Words that say that there is no value, or stand for one. */
const words = new Set(
  'none null nil undefined n/a false true no yes empty unset missing required optional unknown unavailable tbd todo redacted hidden removed value string text token key'.split(
    ' ',
  ),
)

const marks = /^(?:x{3,}.*|your.*|[*.•?-]+|[<${[(%].*|https?:\/\/.*|.*(?:…|\.{3}))$/i
/** A name in capitals, such as `API_KEY`. */
const capitals = /^[A-Z][A-Z_-]*$/

/** Returns true if a text stands for a secret in an example, or says that there is none: `YOUR_KEY`, `$TOKEN`, `<key>`, `none`. */
export function isPlaceholder(text: string): boolean {
  return words.has(text.toLowerCase()) || marks.test(text) || capitals.test(text)
}
