import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'

/** Size of the sample, bytes. Detection is slow, and a larger sample would hardly change the result. */
const SAMPLE_BYTES = 16_384
/** The sample is taken from this number of bytes at the start of the body. */
const SOURCE_BYTES = 512 * 1024
/** Number of bytes in the sample before the first byte that is not ASCII. */
const LEAD_BYTES = 64
/** Minimum confidence of a guess. Below it, windows-1252, the most common legacy encoding, is more often right. */
const MIN_CONFIDENCE = 25
const UTF16_SAMPLE_BYTES = 8192

/** Encodings that browsers replace by supersets, in addition to those in the Encoding Standard. */
const widened: Readonly<Record<string, string>> = { 'ISO-8859-8': 'windows-1255', 'ISO-8859-6': 'windows-1256' }

/**
 * Guesses the encoding of bytes that declare none. Recognizes UTF-16 by zero bytes, ISO-2022-JP by escape sequences,
 * UTF-8 by its validity, and other encodings by the statistics of the text. Otherwise returns windows-1252.
 *
 * @returns a label of the Encoding Standard.
 */
export function detectEncoding(bytes: Uint8Array): string {
  return utf16(bytes) ?? (isEscaped(bytes) ? 'iso-2022-jp' : undefined) ?? (isUtf8(bytes) ? 'utf-8' : guess(bytes))
}

/** Recognizes UTF-16. In markup or Western text nearly every other byte is zero, and hardly any of the rest. */
function utf16(bytes: Uint8Array): string | undefined {
  const end = Math.min(bytes.byteLength, UTF16_SAMPLE_BYTES) & ~1
  let [even, odd] = [0, 0]
  for (let at = 0; at < end; at += 2) {
    if (bytes[at] === 0) even++
    if (bytes[at + 1] === 0) odd++
  }
  const enough = Math.max(4, end / 10)
  if (odd >= enough && even * 20 <= odd) return 'utf-16le'
  return even >= enough && odd * 20 <= even ? 'utf-16be' : undefined
}

/** True if all bytes are ASCII and the first escape sequence is `ESC $ B` or `ESC $ @`, as in ISO-2022-JP. */
function isEscaped(bytes: Uint8Array): boolean {
  const at = bytes.indexOf(0x1b)
  if (at < 0) return false
  const isJapanese = bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x42 || bytes[at + 2] === 0x40)
  return isJapanese && bytes.every(byte => byte < 0x80)
}

function guess(bytes: Uint8Array): string {
  const [best] = analyse(sampleOf(bytes))
  return best && best.confidence >= MIN_CONFIDENCE ? (widened[best.name] ?? best.name) : 'windows-1252'
}

/** Returns a sample around the first byte that is not ASCII, without tags, which are the same in all languages. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex(byte => byte >= 0x80)
  const from = Math.max(0, first - LEAD_BYTES)
  const source = Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(bytes.byteLength - from, SOURCE_BYTES))
  const text = source.toString('latin1').replace(/<[^<>]{0,2000}>/g, ' ')
  return Buffer.from(text.slice(0, SAMPLE_BYTES), 'latin1')
}
