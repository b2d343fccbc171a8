import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'

/** Size of the sample, bytes. Detection is slow, and a larger sample would hardly change the result. */
const SAMPLE_BYTES = 16_384
/** The sample is taken from this number of bytes at the start of the body. */
const SOURCE_BYTES = 512 * 1024
/** Number of bytes in the sample before the first byte that is not ASCII. */
const LEAD_BYTES = 64
/** Minimum confidence of a guess. Below it, the usual encoding of the page's language is more often right. */
const MIN_CONFIDENCE = 25
const UTF16_SAMPLE_BYTES = 8192

/** Encodings that browsers replace by supersets, in addition to those in the Encoding Standard. */
const widened: Readonly<Record<string, string>> = { 'ISO-8859-8': 'windows-1255', 'ISO-8859-6': 'windows-1256' }

/**
 * Guesses the encoding of bytes that declare none. Recognizes UTF-16 by zero bytes, ISO-2022-JP by escape sequences,
 * UTF-8 by its validity, and other encodings by the statistics of the text. Otherwise returns the usual encoding of the
 * page's language.
 *
 * @returns a label of the Encoding Standard.
 */
export function detectEncoding(bytes: Uint8Array): string {
  const shaped = shapedEncoding(bytes)
  if (shaped !== undefined) return shaped
  if (isUtf8(bytes) || isNearlyUtf8(bytes)) return 'utf-8'
  return isMacRoman(bytes) ? 'macintosh' : legacyEncodings(bytes)[0]!
}

/** Matches bytes that are small letters in Mac Roman, but not in windows-125x and DOS. */
const MAC_LETTERS = /(?<=[a-zA-Z])[\x87-\x8b\x8d-\x91\x97-\x99\x9b\x9d\x9f](?![A-Z\x80-\xff])/g
/** Matches bytes that are small letters in windows-125x or DOS, but other characters in Mac Roman. */
const OTHER_LETTERS = /(?<=[a-z])[\x80-\x86\xa0-\xa6\xe0-\xff](?=[a-z])|[\x80-\xff]{3}/
const MIN_MAC_LETTERS = 2

/** True for a Latin text in Mac Roman, as spreadsheets on Macs have saved it. */
function isMacRoman(bytes: Uint8Array): boolean {
  const text = Buffer.from(sampleOf(bytes)).toString('latin1')
  return !OTHER_LETTERS.test(text) && (text.match(MAC_LETTERS)?.length ?? 0) >= MIN_MAC_LETTERS
}

/**
 * Minimum number of characters of valid UTF-8 for each stray byte. In a text of another encoding hardly any character is valid UTF-8; in a
 * Chinese one, every third is.
 */
const MIN_VALID_PER_STRAY = 5

/** True for UTF-8 with a few stray bytes. They are from a text that was pasted from another page, or from a character that was cut. */
function isNearlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, SOURCE_BYTES))
  const strays = text.match(/\ufffd/g)?.length ?? 0
  const valid = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0
  return valid >= strays * MIN_VALID_PER_STRAY
}

/** Recognizes UTF-16 and ISO-2022-JP, which have bytes that no other encoding of text has. */
export function shapedEncoding(bytes: Uint8Array): string | undefined {
  return utf16(bytes) ?? (isEscaped(bytes) ? 'iso-2022-jp' : undefined)
}

/**
 * Recognizes UTF-16 of scripts below U+2000, with or without markup. Nearly every second byte is then below 0x20, as no character of a text
 * is; of the other bytes hardly any is.
 */
function utf16(bytes: Uint8Array): string | undefined {
  const end = Math.min(bytes.byteLength, UTF16_SAMPLE_BYTES) & ~1
  let [even, odd] = [0, 0]
  for (let at = 0; at < end; at += 2) {
    if (isControl(bytes[at]!)) even++
    if (isControl(bytes[at + 1]!)) odd++
  }
  const enough = Math.max(4, end / 10)
  if (odd >= enough && even * 20 <= odd) return 'utf-16le'
  return even >= enough && odd * 20 <= even ? 'utf-16be' : undefined
}

/** True for bytes below 0x20 except for tabs, line breaks and the escape of ISO 2022. */
function isControl(byte: number): boolean {
  return byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1b
}

/** True if all bytes are ASCII and the first escape sequence is `ESC $ B` or `ESC $ @`, as in ISO-2022-JP. */
function isEscaped(bytes: Uint8Array): boolean {
  const at = bytes.indexOf(0x1b)
  if (at < 0) return false
  const isJapanese = bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x42 || bytes[at + 2] === 0x40)
  return isJapanese && bytes.every(byte => byte < 0x80)
}

/**
 * Guesses the encoding by the statistics of the text, for bytes that are not UTF-8. Returns the guesses, the likeliest first, then the
 * usual encoding of the page's language, then windows-1252.
 */
export function legacyEncodings(bytes: Uint8Array): string[] {
  const guesses = analyse(sampleOf(bytes)).filter(
    ({ name, confidence }) => confidence >= MIN_CONFIDENCE && !/^(?:UTF|ASCII)/.test(name),
  )
  return [...guesses.map(({ name }) => widened[name] ?? name), usualEncoding(bytes), 'windows-1252']
}

/** The usual encodings of languages in pages that declare none, from the table in HTML 13.2.3.2. */
const usualEncodings = new Map(
  (
    'ar windows-1256,az windows-1254,ba windows-1251,be windows-1251,bg windows-1251,cs windows-1250,el iso-8859-7,' +
    'et windows-1257,fa windows-1256,he windows-1255,hr windows-1250,hu iso-8859-2,ja shift_jis,kk windows-1251,ko euc-kr,' +
    'ku windows-1254,ky windows-1251,lt windows-1257,lv windows-1257,mk windows-1251,pl iso-8859-2,ru windows-1251,' +
    'sk windows-1250,sl iso-8859-2,sr windows-1251,tg windows-1251,th windows-874,tr windows-1254,tt windows-1251,' +
    'uk windows-1251,vi windows-1258,zh gbk,zh-tw big5,zh-hk big5,zh-hant big5'
  )
    .split(',')
    .map(entry => entry.split(' ') as [string, string]),
)

/** Number of bytes in which the root element is searched for. */
const ROOT_BYTES = 2048

/** Returns the usual encoding of the language that the root element declares. Default: windows-1252. */
function usualEncoding(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, ROOT_BYTES)).toString('latin1')
  const lang = /<html\b[^>]{0,500}?\blang=["']?([a-z]{2,3}(?:-[a-z]{2,4})?)/i.exec(head)?.[1]?.toLowerCase() ?? ''
  return usualEncodings.get(lang) ?? usualEncodings.get(lang.split('-', 1)[0]!) ?? 'windows-1252'
}

/** Returns a sample around the first byte that is not ASCII, without tags, which are the same in all languages. */
export function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex(byte => byte >= 0x80)
  const from = Math.max(0, first - LEAD_BYTES)
  const source = Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(bytes.byteLength - from, SOURCE_BYTES))
  const text = source.toString('latin1').replace(/<[^<>]{0,2000}>/g, ' ')
  return Buffer.from(text.slice(0, SAMPLE_BYTES), 'latin1')
}
