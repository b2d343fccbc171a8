import { CharsetDecoder } from './charset-decoder.ts'
import { detectEncoding } from './charset-detection.ts'
import { isEncodingLabel, prescanCharset } from './charset-prescan.ts'
import { contradictingEncoding } from './declared-charset.ts'
import { misdeclaredEncoding } from './misdeclared-charset.ts'

/**
 * Decodes a body to well-formed text without NUL characters. The encoding is that of the byte order mark, the
 * Content-Type, a `<meta>` or XML declaration, or a guess, in this order. A declaration that the bytes contradict is
 * ignored, because some tools save pages in another encoding and keep the old declaration.
 */
export function decodeBody(bytes: Uint8Array, contentType: string | undefined): string {
  return readBody(bytes, contentType).text
}

/** The text of a body. */
export interface DecodedBody {
  text: string
  /**
   * The declared encoding, and the one that was used instead because the bytes contradict the declaration. Undefined if the declared
   * encoding was used, or if none was declared.
   */
  contradicts?: { declared: string; encoding: string }
}

/** Like {@link decodeBody}, and says whether a declaration was ignored. */
export function readBody(bytes: Uint8Array, contentType: string | undefined): DecodedBody {
  const { encoding, isDeclared } = sniffEncoding(bytes, contentType)
  const text = new CharsetDecoder(encoding).decode(bytes)
  const other = isDeclared
    ? (contradictingEncoding(bytes, encoding, text) ?? misdeclaredEncoding(bytes, encoding))
    : undefined
  const decoded = other === undefined ? text : new CharsetDecoder(other).decode(bytes)
  // Except in UTF-16, a NUL character is a zero byte. Searching for a byte is many times faster than for a character.
  const hasNuls = (other ?? encoding).startsWith('utf-16') || bytes.includes(0)
  return {
    text: hasNuls ? withoutNuls(decoded) : decoded,
    contradicts: other === undefined ? undefined : { declared: encoding, encoding: other },
  }
}

/** Removes the byte order mark, NUL characters and lone surrogates from a string. */
export function tidy(text: string): string {
  let out = text
  if (out.charCodeAt(0) === 0xfeff) out = out.slice(1)
  out = withoutNuls(out)
  return out.isWellFormed() ? out : out.toWellFormed()
}

function withoutNuls(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}

/**
 * Returns the encoding that {@link decodeBody} tries first, named as in `TextDecoder.encoding`. `isDeclared` is false for a guess, and for
 * a byte order mark, because the mark is part of the bytes.
 */
function sniffEncoding(bytes: Uint8Array, contentType: string | undefined): { encoding: string; isDeclared: boolean } {
  const mark = bomLabel(bytes)
  if (mark !== undefined) return { encoding: mark, isDeclared: false }
  const label = charsetOfContentType(contentType) ?? prescanCharset(bytes) ?? xmlEncoding(bytes)
  if (label !== undefined && isEncodingLabel(label))
    return { encoding: new TextDecoder(label).encoding, isDeclared: true }
  const guess = detectEncoding(bytes)
  return { encoding: isEncodingLabel(guess) ? new TextDecoder(guess).encoding : 'windows-1252', isDeclared: false }
}

function bomLabel(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return undefined
}

/**
 * Returns the first non-empty `charset` parameter of a Content-Type (MIME Sniffing 4.4, "parse a MIME type"); undefined
 * if there is none or it is not an encoding label.
 */
export function charsetOfContentType(contentType: string | undefined): string | undefined {
  if (contentType === undefined) return undefined
  let at = contentType.indexOf(';')
  while (at >= 0 && at < contentType.length) {
    at++
    while (at < contentType.length && ' \t\r\n'.includes(contentType[at]!)) at++
    const nameStart = at
    while (at < contentType.length && contentType[at] !== ';' && contentType[at] !== '=') at++
    const name = contentType.slice(nameStart, at).toLowerCase()
    if (contentType[at] !== '=') continue
    at++
    let value = ''
    if (contentType[at] === '"') {
      at++
      while (at < contentType.length && contentType[at] !== '"') {
        if (contentType[at] === '\\' && at + 1 < contentType.length) at++
        value += contentType[at++]
      }
      while (at < contentType.length && contentType[at] !== ';') at++
    } else {
      const end = contentType.indexOf(';', at)
      value = contentType.slice(at, end < 0 ? contentType.length : end).trimEnd()
      at = end < 0 ? contentType.length : end
      if (value === '') continue
    }
    if (name === 'charset') return isEncodingLabel(value) ? value.trim() : undefined
  }
  return undefined
}

/** Names of encodings in XML (IANA) that the Encoding Standard lacks. */
const otherNames = new Map([
  ['maccyrillic', 'x-mac-cyrillic'],
  ['macroman', 'macintosh'],
])

/** Returns the encoding in the XML declaration at the start of a body. */
function xmlEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 256)).toString('latin1')
  if (!head.startsWith('<?xml')) return undefined
  const declaration = head.slice(0, Math.max(0, head.indexOf('?>')))
  const name = /encoding\s?=\s?["']([\w.:-]{1,40})["']/.exec(declaration)?.[1]
  return name === undefined ? undefined : (otherNames.get(name.toLowerCase()) ?? name)
}
