import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'

/** Detection is slow, and more text adds little. */
const SAMPLE_BYTES = 16_384
/** Where a sample is looked for. */
const SOURCE_BYTES = 512 * 1024
/** Text before the first byte above ASCII that a sample takes along. */
const LEAD_BYTES = 64
/** A less certain guess is worth less than what most of the web means. */
const MIN_CONFIDENCE = 25
const UTF16_SAMPLE_BYTES = 8192

/** Encodings that the web reads as ones that hold more (Encoding Standard), where the labels don't say so by themselves. */
const widened: Readonly<Record<string, string>> = { 'ISO-8859-8': 'windows-1255', 'ISO-8859-6': 'windows-1256' }

/**
 * A guess at the encoding of bytes that declare none: UTF-16 by its zeros, ISO-2022-JP by its escapes, UTF-8 when the
 * bytes are valid UTF-8, else what the statistics of the text say, else windows-1252.
 *
 * @returns a label of the Encoding Standard.
 */
export function detectEncoding(bytes: Uint8Array): string {
  return utf16(bytes) ?? (isEscaped(bytes) ? 'iso-2022-jp' : undefined) ?? (isUtf8(bytes) ? 'utf-8' : guess(bytes))
}

/** UTF-16 of any markup or Western text has zeros in every other byte, and in those alone. */
function utf16(bytes: Uint8Array): string | undefined {
  const end = Math.min(bytes.byteLength, UTF16_SAMPLE_BYTES) & ~1
  const zeros = [0, 0]
  for (let at = 0; at < end; at++) if (bytes[at] === 0) zeros[at & 1]++
  const enough = Math.max(4, end / 10)
  if (zeros[1]! >= enough && zeros[0]! * 20 <= zeros[1]!) return 'utf-16le'
  return zeros[0]! >= enough && zeros[1]! * 20 <= zeros[0]! ? 'utf-16be' : undefined
}

/** The escapes of ISO-2022-JP that begin Japanese characters: `ESC $ B` and `ESC $ @`, in bytes that are all ASCII. */
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

/** Text from where bytes above ASCII begin; tags say nothing about the language. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex(byte => byte >= 0x80)
  const from = Math.max(0, first - LEAD_BYTES)
  const source = Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(bytes.byteLength - from, SOURCE_BYTES))
  const text = source.toString('latin1').replace(/<[^<>]{0,2000}>/g, ' ')
  return Buffer.from(text.slice(0, SAMPLE_BYTES), 'latin1')
}
