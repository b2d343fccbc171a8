/**
 * The path of an `Allow` or `Disallow` rule. `*` matches any characters, and a final `$` matches the end of the URL (RFC 9309,
 * 2.2.3). Patterns and paths are first normalized to the same percent-encoding (2.2.2), so matching is plain string search.
 */
export interface PathPattern {
  /** Length of the normalized pattern, octets. If several rules match, the longest decides. */
  readonly length: number
  /** Maximum number of string searches for matching one path: one for each piece between two `*`. */
  readonly searches: number
  /** The text before the first `*`. Every matching path starts with it. */
  readonly head: string
  matches(path: string): boolean
}

// The unreserved characters of RFC 3986, and the reserved ones that both patterns and URLs leave unescaped. All other characters
// (quotes, brackets, angle brackets, bytes above 0x7e …) are compared in percent-encoded form.
const literal = new Set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?:@!&()+,;=')
const unreserved = new Set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~')
const hexDigits = '0123456789ABCDEF'
const allLiteral = /^[A-Za-z0-9\-._~/?:@!&()+,;=]*$/

/**
 * Normalizes the percent-encoding of a path, given as a string of bytes. Escapes of unreserved characters are decoded, other
 * escapes get upper-case digits, and all other characters that are not literal are escaped.
 */
export function normalizePath(bytes: string): string {
  // Nearly every path consists of literal characters.
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
      // A percent sign that does not start an escape is a literal character, as in the URL standard.
      out.push('%')
    } else {
      out.push(literal.has(character) ? character : escapeByte(bytes.charCodeAt(i)))
    }
  }
  return out.join('')
}

/** Compiles the value of a rule, given as a string of bytes. An empty value matches nothing. */
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
      // The leftmost match of a piece leaves the longest text for the pieces after it, so no other match need be tried.
      for (const find of middle) {
        at = find(path, at)
        if (at < 0) return false
      }
      return path.length - tail.length >= at && path.endsWith(tail)
    },
  }
}

const nativeSearchLimit = 32

/**
 * Returns a function that searches a text for `needle` from a position on. The function returns the end of the match, or -1.
 * Long needles are searched with the Knuth-Morris-Pratt algorithm, because the built-in search is quadratic on hostile text.
 */
function searcher(needle: string): (text: string, from: number) => number {
  if (needle.length <= nativeSearchLimit) {
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
  return `%${hexDigits[(value >> 4) & 15]}${hexDigits[value & 15]}`
}

/** Returns the value of a hexadecimal digit. For other characters the number is so negative that a pair with it is negative too. */
function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -256
}
