import { ByteReader } from './byte-buffer.ts'

/**
 * A byte string: a string with one character for each byte of a record. In a cache of many short records it takes half the
 * memory of a buffer, and a part of it that is ASCII is a text as it stands.
 */
export function byteString(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** The bytes of a byte string, as a plain Uint8Array: code that reads records is faster if they are all of one class. */
export function bytesOf(record: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(record, 'latin1')
  return new Uint8Array(buffer, byteOffset, length)
}

/**
 * Reads texts that `ByteWriter.string` wrote one after another.
 *
 * @param at - where the first one begins.
 * @throws ASOF_STORE_CORRUPT
 */
export function textsAt(record: string, at: number, count: number): string[] {
  const texts: string[] = []
  while (texts.length < count) {
    const length = record.charCodeAt(at)
    const text = record.slice(at + 1, at + 1 + length)
    // Nearly all texts are short and ASCII. `length` is NaN at the end of the record.
    if (!(length < 128) || text.length < length || !isAscii(text)) return decodeTexts(record, at, texts, count)
    texts.push(text)
    at += 1 + length
  }
  return texts
}

/** Reads the texts that are not short ASCII, and all after them. */
function decodeTexts(record: string, at: number, texts: string[], count: number): string[] {
  const reader = new ByteReader(bytesOf(record), at)
  while (texts.length < count) texts.push(reader.string())
  return texts
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}
