import { AsofError } from '@asof/extract/errors'
import { release } from './memory.ts'
import { VarintCursor } from './varint-cursor.ts'

const encoder = new TextEncoder()
// `fatal` finds damage, because stored text is always valid UTF-8. `ignoreBOM` keeps a leading U+FEFF, which is part of
// the text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A growing buffer for encoders. Writes LEB128 varints, little-endian integers, and UTF-8 strings with their length in
 * front.
 */
export class ByteWriter {
  bytes: Uint8Array<ArrayBuffer>
  /** Number of bytes written. */
  length = 0

  constructor(capacity = 1024) {
    this.bytes = new Uint8Array(capacity)
  }

  /** Makes room for `extra` more bytes. */
  reserve(extra: number): void {
    const needed = this.length + extra
    if (needed <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
  }

  u8(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  u32(value: number): void {
    this.reserve(4)
    const { bytes, length } = this
    bytes[length] = value
    bytes[length + 1] = value >>> 8
    bytes[length + 2] = value >>> 16
    bytes[length + 3] = value >>> 24
    this.length += 4
  }

  /** Writes a non-negative integer up to 2^53 - 1. */
  varint(value: number): void {
    this.reserve(8)
    const { bytes } = this
    let at = this.length
    while (value >= 0x1000_0000) {
      bytes[at++] = (value % 128) | 128
      value = Math.floor(value / 128)
    }
    while (value >= 128) {
      bytes[at++] = (value & 127) | 128
      value >>>= 7
    }
    bytes[at++] = value
    this.length = at
  }

  f64(value: number): void {
    this.reserve(8)
    new DataView(this.bytes.buffer, this.bytes.byteOffset).setFloat64(this.length, value, true)
    this.length += 8
  }

  raw(source: Uint8Array): void {
    this.reserve(source.length)
    this.bytes.set(source, this.length)
    this.length += source.length
  }

  string(text: string): void {
    const encoded = encoder.encode(text)
    this.varint(encoded.length)
    this.raw(encoded)
  }

  /** Writes the UTF-8 bytes of a text without their number. */
  utf8(text: string): void {
    const length = Buffer.byteLength(text)
    // One byte more than needed, because Node 26 leaves out the last character if the room is exactly enough.
    this.reserve(length + 1)
    const { written } = encoder.encodeInto(text, this.bytes.subarray(this.length, this.length + length + 1))
    if (written !== length) throw new TypeError(`${written} of ${length} bytes were written`)
    this.length += length
  }

  /** Pads with zeros up to a multiple of `unit` bytes. */
  align(unit: number): void {
    while (this.length % unit !== 0) this.u8(0)
  }

  /**
   * Empties the buffer.
   *
   * @param capacity - minimum size of the buffer afterwards, bytes. If the buffer must grow, its old memory is freed,
   *   so no caller may keep a reference to {@link bytes}.
   */
  clear(capacity = 0): void {
    this.length = 0
    if (capacity <= this.bytes.length) return
    release(this.bytes)
    this.bytes = new Uint8Array(capacity)
  }

  /** Returns a copy of the written bytes. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.length)
  }
}

/**
 * Reads the output of {@link ByteWriter}. Throws ASOF_STORE_CORRUPT if a value is cut off by the end of the bytes.
 */
export class ByteReader extends VarintCursor {
  get done(): boolean {
    return this.at >= this.bytes.length
  }

  u8(): number {
    this.#expect(1)
    return this.bytes[this.at++]!
  }

  u32(): number {
    this.#expect(4)
    const { bytes, at } = this
    this.at += 4
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
  }

  varint(): number {
    const value = this.next()
    if (this.at > this.bytes.length) this.#expect(0)
    return value
  }

  f64(): number {
    this.#expect(8)
    const value = new DataView(this.bytes.buffer, this.bytes.byteOffset).getFloat64(this.at, true)
    this.at += 8
    return value
  }

  skip(length: number): void {
    this.#expect(length)
    this.at += length
  }

  /** Returns a view of the next `length` bytes. */
  raw(length: number): Uint8Array {
    this.skip(length)
    return this.bytes.subarray(this.at - length, this.at)
  }

  string(): string {
    const bytes = this.raw(this.varint())
    try {
      return decoder.decode(bytes)
    } catch (cause) {
      throw new AsofError('ASOF_STORE_CORRUPT', 'a stored text is not UTF-8', { cause })
    }
  }

  #expect(length: number): void {
    if (this.at + length > this.bytes.length)
      throw new AsofError('ASOF_STORE_CORRUPT', `a stored value of ${this.bytes.length} bytes ends early`)
  }
}

/**
 * Checks the version byte at the start of a stored value.
 *
 * @param what - the name of the kind of value, for messages.
 * @throws ASOF_STORE_FORMAT, ASOF_STORE_CORRUPT
 */
export function expectVersion(reader: ByteReader, version: number, what: string): void {
  const found = reader.u8()
  if (found > version)
    throw new AsofError(
      'ASOF_STORE_FORMAT',
      `${what} has format ${found}; this asof reads up to ${version}: upgrade asof`,
    )
  if (found !== version) throw new AsofError('ASOF_STORE_CORRUPT', `${what} has format ${found}, expected ${version}`)
}
