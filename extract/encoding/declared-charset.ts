import { isUtf8 } from 'node:buffer'
import { CharsetDecoder } from './charset-decoder.ts'
import { legacyEncodings, shapedEncoding } from './charset-detection.ts'
import { isEncodingLabel } from './charset-prescan.ts'

/** Number of bytes at the start of a body that are decoded to compare encodings. */
const COMPARED_BYTES = 512 * 1024
/**
 * Minimum number of errors for each other character beyond ASCII, for a declaration to be wrong. The limit depends on the encoding that the
 * text is really in. In single-byte text hardly any character beyond ASCII is valid UTF-8, so fewer errors are stray bytes in UTF-8. In
 * text with several bytes a character, more characters are valid by accident.
 */
const MIN_ERRORS_PER_CHARACTER = { singleByte: 3, multiByte: 1 }
/** Minimum number of characters beyond ASCII for each error, for text to be in an encoding. The errors are then stray bytes. */
const MIN_CHARACTERS_PER_ERROR = 20
/**
 * Minimum number of characters beyond ASCII in valid UTF-8, if an encoding with two bytes a character is declared. Fewer may be valid by
 * accident.
 */
const MIN_CHARACTERS = 4

/**
 * Returns the encoding of bytes that contradict their declaration; undefined if they don't. The evidence is one of:
 *
 * - the zero bytes of UTF-16, or the escape sequences of ISO-2022-JP;
 * - valid UTF-8 with characters beyond ASCII, though another encoding is declared;
 * - characters beyond ASCII that are nearly all errors in the declared encoding, but not in a detected one.
 *
 * A few stray bytes are no evidence, and neither is a last character that is cut off.
 *
 * @param declared - named as in `TextDecoder.encoding`.
 * @param text - the bytes, decoded as declared.
 */
export function contradictingEncoding(bytes: Uint8Array, declared: string, text: string): string | undefined {
  const shaped = shapedEncoding(bytes)
  if (shaped !== undefined) return shaped === declared ? undefined : shaped
  const whole = withoutCutCharacter(bytes)
  if (isUtf8(whole)) return declared !== 'utf-8' && isMeantAsUtf8(whole, declared, text) ? 'utf-8' : undefined
  if (declared !== 'utf-8' && isMostlyValid(bytes, 'utf-8')) return 'utf-8'
  if (!text.includes('\ufffd')) return undefined
  const { errors, characters } = readingOf(bytes, declared)
  if (errors < characters * MIN_ERRORS_PER_CHARACTER.multiByte) return undefined
  const other = legacyEncodings(bytes)
    .filter(isEncodingLabel)
    .map(label => new TextDecoder(label).encoding)
    .find(encoding => encoding !== declared && isMostlyValid(bytes, encoding))
  if (other === undefined || !isSingleByte(other)) return other
  return errors >= characters * MIN_ERRORS_PER_CHARACTER.singleByte ? other : undefined
}

/**
 * True if it is hardly an accident that bytes are valid UTF-8. If a single-byte encoding is declared, one character is enough, if the
 * declared encoding reads its bytes as `Â` or `Ã` and a sign, or as three letters and signs. No text has these.
 */
function isMeantAsUtf8(bytes: Uint8Array, declared: string, text: string): boolean {
  if (declared.startsWith('utf-16')) return true
  const characters = new TextDecoder().decode(bytes).match(/[^\0-\x7f]/gu) ?? []
  if (characters.length === 0) return false
  if (!isSingleByte(declared)) return characters.length >= MIN_CHARACTERS || text.includes('\ufffd')
  return characters.length > 1 || /[\xa0-\xff\u0800-\u{10ffff}]/u.test(characters[0]!)
}

function isSingleByte(encoding: string): boolean {
  return /^(?:windows|iso-8859|koi8|macintosh|x-mac|ibm)/.test(encoding)
}

function isMostlyValid(bytes: Uint8Array, encoding: string): boolean {
  const { errors, characters } = readingOf(bytes, encoding)
  return characters > 0 && errors * MIN_CHARACTERS_PER_ERROR <= characters
}

/** Returns the number of errors, and of other characters beyond ASCII, when bytes are decoded. */
function readingOf(bytes: Uint8Array, encoding: string): { errors: number; characters: number } {
  const compared = bytes.subarray(0, COMPARED_BYTES)
  const text = new CharsetDecoder(encoding).decode(compared)
  let [errors, characters] = [0, 0]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0xfffd) errors++
    else if (code > 0x7f) characters++
  }
  // U+FFFD in the bytes themselves is from an earlier conversion. It counts as a character, not as an error of this decoding.
  const written = encoding === 'utf-8' ? countOf(compared, '\ufffd') : 0
  return { errors: errors - written, characters: characters + written }
}

function countOf(bytes: Uint8Array, character: string): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const wanted = Buffer.from(character)
  let count = 0
  for (let at = buffer.indexOf(wanted); at >= 0; at = buffer.indexOf(wanted, at + wanted.length)) count++
  return count
}

/** Returns the bytes without an incomplete UTF-8 character at their end. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let length = 1; length <= 3 && length <= bytes.length; length++) {
    const byte = bytes[bytes.length - length]!
    if (byte >= 0xc0) return byte >= 0xf0 || length < (byte >= 0xe0 ? 3 : 2) ? bytes.subarray(0, -length) : bytes
    if (byte < 0x80) return bytes
  }
  return bytes
}
