import { ByteReader } from './byte-buffer.ts'

/**
 * Returns bytes as a string with one character (U+0000 to U+00FF) for each byte. In a cache of many short records, such
 * a string takes half the memory of a buffer. ASCII texts can be sliced from it without decoding.
 */
export function byteString(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/**
 * Returns the bytes of a string that {@link byteString} made, as a plain Uint8Array. Code that reads records is faster
 * if it never gets a Buffer.
 */
export function bytesOf(record: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(record, 'latin1')
  return new Uint8Array(buffer, byteOffset, length)
}

/**
 * Reads `count` texts that `ByteWriter.string` wrote one after another.
 *
 * @param record - the bytes as a string, see {@link byteString}.
 * @param at - offset of the first text.
 * @throws ASOF_STORE_CORRUPT
 */
export function textsAt(record: string, at: number, count: number): string[] {
  const texts: string[] = []
  while (texts.length < count) {
    const length = record.charCodeAt(at)
    const text = record.slice(at + 1, at + 1 + length)
    // Most texts are short and ASCII; all others are decoded. At the end of the record `length` is NaN.
    if (!(length < 128) || text.length < length || !isAscii(text)) return decodeTexts(record, at, texts, count)
    texts.push(text)
    at += 1 + length
  }
  return texts
}

/** Decodes the remaining texts from offset `at` on. */
function decodeTexts(record: string, at: number, texts: string[], count: number): string[] {
  const reader = new ByteReader(bytesOf(record), at)
  while (texts.length < count) texts.push(reader.string())
  return texts
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}
