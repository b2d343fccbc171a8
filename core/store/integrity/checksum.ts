import { crc32 } from 'node:zlib'
import { AsofError } from '@asof/extract/errors'
import { describeKey } from '../keys.ts'

/**
 * Size of the checksum at the end of every stored value, bytes. The checksum is a CRC-32 of key and value, so that the
 * value of one key is never taken for that of another. LevelDB itself does not verify checksums when it reads.
 */
const BYTES = 4

/** Returns the value followed by its checksum. */
export function checksummed(key: Uint8Array, value: Uint8Array): Uint8Array {
  const stored = new Uint8Array(value.length + BYTES)
  writeChecksummed(key, value, stored)
  return stored
}

/** A buffer for computing many checksummed values one after another, if each is copied before the next. */
export class ChecksumBuffer {
  #buffer = new Uint8Array(64 * 1024)

  /** Like the function {@link checksummed}. The result is valid until the next call. */
  checksummed(key: Uint8Array, value: Uint8Array): Uint8Array {
    const length = value.length + BYTES
    if (length > this.#buffer.length) this.#buffer = new Uint8Array(2 * length)
    const stored = this.#buffer.subarray(0, length)
    writeChecksummed(key, value, stored)
    return stored
  }
}

function writeChecksummed(key: Uint8Array, value: Uint8Array, stored: Uint8Array): void {
  stored.set(value)
  const sum = crc32(value, crc32(key))
  for (let i = 0; i < BYTES; i++) stored[value.length + i] = sum >>> (8 * i)
}

/**
 * Returns the value without its checksum, as a view of the stored bytes.
 *
 * @throws ASOF_STORE_CORRUPT - the checksum does not match.
 */
export function verifiedValue(key: Uint8Array, stored: Uint8Array): Uint8Array {
  const value = valueIfIntact(key, stored)
  if (!value) throw new AsofError('ASOF_STORE_CORRUPT', `${describeKey(key)} has a wrong checksum; ${REPAIR_HINT}`)
  return value
}

/** Like {@link verifiedValue}, but returns undefined for a damaged value. */
export function valueIfIntact(key: Uint8Array, stored: Uint8Array): Uint8Array | undefined {
  const end = stored.length - BYTES
  if (end < 0) return undefined
  // The view is a plain Uint8Array. A view of class Buffer takes twice as long to create, and a mix of both classes
  // slows its readers down.
  const value = new Uint8Array(stored.buffer, stored.byteOffset, end)
  const sum = (stored[end]! | (stored[end + 1]! << 8) | (stored[end + 2]! << 16) | (stored[end + 3]! << 24)) >>> 0
  return crc32(value, crc32(key)) === sum ? value : undefined
}

/** The end of messages about a damaged store. */
export const REPAIR_HINT = 'restore a backup, or save what can be read with `asof doctor --repair`'
