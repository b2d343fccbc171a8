import { crc32 } from 'node:zlib'
import { AsofError } from '../../errors.ts'
import { describeKey } from '../keys.ts'

/**
 * Every stored value ends in a CRC-32 of its key and itself, little-endian: LevelDB does not verify the checksums of its
 * blocks when it reads them. The key is in it so that a value can't pass for that of another key.
 */
const BYTES = 4

/** What the store keeps for a value. */
export function checksummed(key: Uint8Array, value: Uint8Array): Uint8Array {
  const stored = new Uint8Array(value.length + BYTES)
  seal(key, value, stored)
  return stored
}

/** Seals values that are copied at once, all in one buffer: what it returns holds until the next call. */
export class ChecksumBuffer {
  #buffer = new Uint8Array(64 * 1024)

  checksummed(key: Uint8Array, value: Uint8Array): Uint8Array {
    const length = value.length + BYTES
    if (length > this.#buffer.length) this.#buffer = new Uint8Array(2 * length)
    const stored = this.#buffer.subarray(0, length)
    seal(key, value, stored)
    return stored
  }
}

function seal(key: Uint8Array, value: Uint8Array, stored: Uint8Array): void {
  stored.set(value)
  const sum = crc32(value, crc32(key))
  for (let i = 0; i < BYTES; i++) stored[value.length + i] = sum >>> (8 * i)
}

/**
 * The value that was {@link checksummed}, as a view of what the store keeps.
 *
 * @throws ASOF_STORE_CORRUPT - it is not what was written there.
 */
export function verifiedValue(key: Uint8Array, stored: Uint8Array): Uint8Array {
  const value = valueIfIntact(key, stored)
  if (!value)
    throw new AsofError('ASOF_STORE_CORRUPT', `${describeKey(key)} is not what was written there; ${REPAIR_HINT}`)
  return value
}

/** Like {@link verifiedValue}, but `undefined` for a damaged value. */
export function valueIfIntact(key: Uint8Array, stored: Uint8Array): Uint8Array | undefined {
  const end = stored.length - BYTES
  if (end < 0) return undefined
  // A plain view: those of a Buffer cost twice as much to make, and what reads both kinds is slower.
  const value = new Uint8Array(stored.buffer, stored.byteOffset, end)
  const sum = (stored[end]! | (stored[end + 1]! << 8) | (stored[end + 2]! << 16) | (stored[end + 3]! << 24)) >>> 0
  return crc32(value, crc32(key)) === sum ? value : undefined
}

/** What to do about a damaged store. */
export const REPAIR_HINT = 'restore a backup, or save what can be read with `asof doctor --repair`'
