/**
 * The factor of the eighth byte. Eight bytes with 7 bits each hold every safe integer, so a longer varint is damaged.
 */
const LAST_SCALE = 2 ** 49

/**
 * Reads LEB128 varints without checking for the end of the bytes, for loops that check once at the end.
 *
 * Past the end every varint is 0, and a varint that is too long moves the cursor to infinity. So if `at > bytes.length`
 * after the last varint, the bytes are damaged.
 */
export class VarintCursor {
  bytes: Uint8Array
  /** Offset of the next byte to read. */
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  next(): number {
    const { bytes } = this
    let byte = bytes[this.at++]!
    let value = byte & 127
    for (let scale = 128; byte > 127; scale *= 128) {
      if (scale > LAST_SCALE) {
        this.at = Number.POSITIVE_INFINITY
        return 0
      }
      byte = bytes[this.at++]!
      value += (byte & 127) * scale
    }
    return value
  }
}
