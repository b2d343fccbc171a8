import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'

/** Size of the sample. Detection is slow, and a larger sample adds little. */
const SAMPLE_BYTES = 16_384
/** The sample is taken from the first bytes of the body, up to this number. */
const SOURCE_BYTES = 512 * 1024
/** The sample starts this many bytes before the first byte that is not ASCII. */
const LEAD_BYTES = 64
/** A guess with less confidence is more often wrong than windows-1252, the most common legacy encoding. */
const MIN_CONFIDENCE = 25
const UTF16_SAMPLE_BYTES = 8192

/** Encodings that browsers replace by larger ones, besides those that the Encoding Standard's labels replace. */
const widened: Readonly<Record<string, string>> = { 'ISO-8859-8': 'windows-1255', 'ISO-8859-6': 'windows-1256' }

/**
 * Guesses the encoding of bytes that declare none. UTF-16 is recognized by its zero bytes, ISO-2022-JP by its escapes, UTF-8 by its
 * validity, and other encodings by the statistics of the text. If none is recognized, it is windows-1252.
 *
 * @returns a label of the Encoding Standard.
 */
export function detectEncoding(bytes: Uint8Array): string {
  return utf16(bytes) ?? (isEscaped(bytes) ? 'iso-2022-jp' : undefined) ?? (isUtf8(bytes) ? 'utf-8' : guess(bytes))
}

/** Recognizes UTF-16. With markup or Western text it has a zero in nearly every other byte, and hardly any zero in the rest. */
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

/** True if all bytes are ASCII, and the first escape is one of ISO-2022-JP: `ESC $ B` or `ESC $ @`. */
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

/** Returns text from just before the first byte that is not ASCII. Tags are removed, because they do not depend on the language. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex(byte => byte >= 0x80)
  const from = Math.max(0, first - LEAD_BYTES)
  const source = Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(bytes.byteLength - from, SOURCE_BYTES))
  const text = source.toString('latin1').replace(/<[^<>]{0,2000}>/g, ' ')
  return Buffer.from(text.slice(0, SAMPLE_BYTES), 'latin1')
}
