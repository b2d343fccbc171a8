/**
 * The path in an `Allow` or `Disallow` rule. `*` matches any characters, and a final `$` the end of the URL (RFC 9309,
 * 2.2.3). Patterns and paths are first normalized to the same percent-encoding (2.2.2), so that matching is a search
 * for strings.
 */
export interface PathPattern {
  /** Length of the normalized pattern, bytes. Of several matching rules the longest decides. */
  readonly length: number
  /** Number of string searches that matching a path needs at most, one for each piece between two `*`. */
  readonly searches: number
  /** The text before the first `*`. All matching paths begin with it. */
  readonly head: string
  matches(path: string): boolean
}

// Characters that are compared unescaped: the unreserved ones of RFC 3986, and reserved ones that patterns and URLs
// usually leave unescaped. All others, such as quotes and brackets, are compared in percent-encoded form.
const literal = new Set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?:@!&()+,;=')
const unreserved = new Set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~')
const HEX_DIGITS = '0123456789ABCDEF'
const allLiteral = /^[A-Za-z0-9\-._~/?:@!&()+,;=]*$/

/**
 * Normalizes the percent-encoding of a path. Unescapes unreserved characters, and writes all other escapes with
 * upper-case digits. Escapes all characters that are not in {@link literal}.
 *
 * @param bytes - one character for each byte of the path.
 */
export function normalizePath(bytes: string): string {
  // The fast way for paths that need no change.
  if (allLiteral.test(bytes)) return bytes
  const out: string[] = []
  for (let i = 0; i < bytes.length; i++) {
    const character = bytes.charAt(i)
    if (character === '%') {
      const value = hexValue(bytes.charCodeAt(i + 1)) * 16 + hexValue(bytes.charCodeAt(i + 2))
      if (value >= 0) {
        const decoded = String.fromCharCode(value)
        out.push(unreserved.has(decoded) ? decoded : escapeByte(value))
        i += 2
        continue
      }
      // A percent sign without two hexadecimal digits stays, as in the URL standard.
      out.push('%')
    } else {
      out.push(literal.has(character) ? character : escapeByte(bytes.charCodeAt(i)))
    }
  }
  return out.join('')
}

/**
 * Compiles the value of a rule. An empty value matches nothing.
 *
 * @param value - one character for each byte of the value.
 */
export function compilePattern(value: string): PathPattern {
  if (value === '') return { length: 0, searches: 0, head: '', matches: () => false }
  const anchored = value.endsWith('$')
  const pieces = (anchored ? value.slice(0, -1) : value).split('*')
  let length = pieces.length - 1 + (anchored ? 1 : 0)
  const segments = pieces.map(piece => {
    const text = normalizePath(piece)
    length += text.length
    return text
  })
  const [head = ''] = segments
  if (segments.length === 1) {
    const matches = anchored ? (path: string) => path === head : (path: string) => path.startsWith(head)
    return { length, searches: 0, head, matches }
  }
  const tail = anchored ? (segments.at(-1) ?? '') : ''
  const middle = segments
    .slice(1, anchored ? -1 : undefined)
    .filter(segment => segment !== '')
    .map(searcher)
  return {
    length,
    searches: middle.length,
    head,
    matches(path) {
      if (!path.startsWith(head)) return false
      let at = head.length
      // The leftmost match of each piece leaves the most text for the next ones. So no other match must be tried.
      for (const find of middle) {
        at = find(path, at)
        if (at < 0) return false
      }
      return path.length - tail.length >= at && path.endsWith(tail)
    },
  }
}

const NATIVE_SEARCH_LIMIT = 32

/**
 * Returns a function that searches a text for `needle` and returns the end of the first match, or −1. Long needles are
 * searched with the Knuth-Morris-Pratt algorithm, because the built-in search is quadratic for hostile text.
 */
function searcher(needle: string): (text: string, from: number) => number {
  if (needle.length <= NATIVE_SEARCH_LIMIT) {
    return (text, from) => {
      const found = text.indexOf(needle, from)
      return found < 0 ? -1 : found + needle.length
    }
  }
  let fallback: Int32Array | undefined
  return (text, from) => {
    if (text.length - from < needle.length) return -1
    fallback ??= borders(needle)
    let matched = 0
    for (let i = from; i < text.length; i++) {
      const code = text.charCodeAt(i)
      while (matched > 0 && needle.charCodeAt(matched) !== code) matched = fallback[matched - 1] ?? 0
      if (needle.charCodeAt(matched) === code) matched++
      if (matched === needle.length) return i + 1
    }
    return -1
  }
}

function borders(needle: string): Int32Array {
  const table = new Int32Array(needle.length)
  for (let i = 1, matched = 0; i < needle.length; i++) {
    while (matched > 0 && needle[matched] !== needle[i]) matched = table[matched - 1] ?? 0
    if (needle[matched] === needle[i]) matched++
    table[i] = matched
  }
  return table
}

function escapeByte(value: number): string {
  return `%${HEX_DIGITS[(value >> 4) & 15]}${HEX_DIGITS[value & 15]}`
}

/**
 * Returns the value of a hexadecimal digit. For other characters returns a number so low that a sum of two digits is
 * negative.
 */
function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -256
}
