import { VarintCursor } from '../bytes/varint-cursor.ts'

/**
 * Reads the encodings that LevelDB uses: little-endian integers, LEB128 varints, and byte strings with their length in
 * front.
 */
export class LevelReader extends VarintCursor {
  get done(): boolean {
    return this.at >= this.bytes.length
  }

  /** @throws Damage - the bytes end too early. All methods throw this. */
  u8(): number {
    if (this.at >= this.bytes.length) throw new Damage('it ends early')
    return this.bytes[this.at++]!
  }

  u32(): number {
    const low = this.u8() | (this.u8() << 8) | (this.u8() << 16)
    return low + this.u8() * 2 ** 24
  }

  /** Reads an integer up to 2^53 − 1. A greater one is rounded. */
  u64(): number {
    const low = this.u32()
    return low + this.u32() * 2 ** 32
  }

  /** Reads an integer up to 2^56 − 1, the greatest sequence number. From 2^53 on it is rounded. */
  varint(): number {
    const value = this.next()
    if (this.at > this.bytes.length) throw new Damage('it ends early')
    return value
  }

  raw(length: number): Uint8Array {
    if (length > this.bytes.length - this.at) throw new Damage('it ends early')
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  /** Reads a byte string with its length in front. */
  sized(): Uint8Array {
    return this.raw(this.varint())
  }
}

/** The error for a damaged file of LevelDB. `checkFolder` and `salvage` report it instead of throwing it. */
export class Damage extends Error {
  override name = 'Damage'
}

/** Returns the message of a {@link Damage}. Rethrows any other error. */
export function damageOf(error: unknown): string {
  if (error instanceof Damage) return error.message
  throw error
}
