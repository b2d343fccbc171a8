/** Reads LevelDB's encodings: little-endian words, LEB128 varints, bytes with their length. */
export class Fields {
  readonly bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  get done(): boolean {
    return this.at >= this.bytes.length
  }

  /** @throws Damage - past the end, as all of these. */
  u8(): number {
    if (this.at >= this.bytes.length) throw new Damage('it ends early')
    return this.bytes[this.at++]
  }

  u32(): number {
    const low = this.u8() | (this.u8() << 8) | (this.u8() << 16)
    return low + this.u8() * 2 ** 24
  }

  /** Up to 2^53 − 1; greater ones are rounded. */
  u64(): number {
    const low = this.u32()
    return low + this.u32() * 2 ** 32
  }

  varint(): number {
    let value = 0
    for (let scale = 1; scale <= 2 ** 63; scale *= 128) {
      const byte = this.u8()
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
    throw new Damage('a number has too many bytes')
  }

  raw(length: number): Uint8Array {
    if (length > this.bytes.length - this.at) throw new Damage('it ends early')
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  sized(): Uint8Array {
    return this.raw(this.varint())
  }
}

/** Why a file, or a part of it, is not what LevelDB wrote. Stays within this room. */
export class Damage extends Error {
  override name = 'Damage'
}

/** What a {@link Damage} says. Any other error is thrown. */
export function damageOf(error: unknown): string {
  if (error instanceof Damage) return error.message
  throw error
}
