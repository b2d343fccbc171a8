import { VarintCursor } from '../bytes/varint-cursor.ts'
import { TRAILER_BYTES } from './descriptor.ts'
import { Damage } from './level-reader.ts'

/** Number of entries between two restart points of a block, LevelDB's default. */
export const LEVELDB_RESTART_EVERY = 16

/** The previous key of the block that is being verified. */
let previous: Uint8Array = new Uint8Array(4096)
const varints = new VarintCursor(new Uint8Array(0))

/**
 * Checks the lengths and restart points of a block, and that its keys ascend within the given bounds. LevelDB ends the
 * process when it reads a malformed block. Values are skipped, so this is many times as fast as a checksum.
 *
 * @param bytes - contains the block, which starts at `from` and has `size` bytes.
 * @param after - an internal key. Every key must be greater. Undefined: no bound.
 * @param upTo - an internal key. No key may be greater.
 * @throws Damage
 */
export function expectShape(
  bytes: Uint8Array,
  from: number,
  size: number,
  after: Uint8Array | undefined,
  upTo: Uint8Array,
): void {
  const limit = from + size
  const restarts = size < 4 ? 0 : u32(bytes, limit - 4)
  const end = limit - 4 - restarts * 4
  if (restarts === 0 || end <= from) throw new Damage('a block has an impossible number of restarts')
  let previousBytes = 0
  if (after) {
    if (after.length > previous.length) previous = grow(previous, after.length)
    previous.set(after)
    previousBytes = after.length
  }
  varints.bytes = bytes
  varints.at = from
  let entries = 0
  for (; varints.at < end; entries++) {
    const entryAt = varints.at
    const shared = varints.next()
    const own = varints.next()
    const valueBytes = varints.next()
    const { at } = varints
    if (at > end) throw new Damage('an entry ends early')
    const keyBytes = shared + own
    if (shared > (entries === 0 ? 0 : previousBytes) || keyBytes < TRAILER_BYTES || own + valueBytes > end - at)
      throw new Damage('an entry has impossible lengths')
    if (entries % LEVELDB_RESTART_EVERY === 0) {
      const restart = entries / LEVELDB_RESTART_EVERY
      if (shared > 0 || restart >= restarts || u32(bytes, end + restart * 4) !== entryAt - from)
        throw new Damage('a restart of a block is not where it should be')
    }
    const order = previousBytes === 0 ? -1 : compareToNext(previousBytes, bytes, at, shared, keyBytes)
    if (order >= 0) throw new Damage('the keys of a block are out of order')
    if (keyBytes > previous.length) previous = grow(previous, keyBytes)
    for (let i = 0; i < own; i++) previous[shared + i] = bytes[at + i]!
    if (previous[keyBytes - TRAILER_BYTES]! > 1) throw new Damage('an entry is of unknown kind')
    previousBytes = keyBytes
    varints.at = at + own + valueBytes
  }
  if (Math.ceil(entries / LEVELDB_RESTART_EVERY) !== restarts) throw new Damage('a block has too many restarts')
  if (compareInternal(previous, previousBytes, upTo, upTo.length) > 0)
    throw new Damage('a key of a block is greater than its index says')
}

/**
 * Compares {@link previous} with the next key as {@link compareInternal} does, but without a copy of the next key. That
 * key has `keyBytes` bytes: the first `shared` ones are those of `previous`, the others start at `at`.
 */
function compareToNext(previousBytes: number, bytes: Uint8Array, at: number, shared: number, keyBytes: number): number {
  const previousEnd = previousBytes - TRAILER_BYTES
  const end = keyBytes - TRAILER_BYTES
  const common = Math.min(previousEnd, end)
  for (let i = shared; i < common; i++) {
    const difference = previous[i]! - bytes[at + i - shared]!
    if (difference !== 0) return difference
  }
  if (previousEnd !== end) return previousEnd - end
  for (let i = keyBytes - 1; i >= end; i--) {
    const byte = i < shared ? previous[i] : bytes[at + i - shared]!
    if (byte !== previous[i]) return byte! - previous[i]!
  }
  return 0
}

/**
 * Compares two internal keys, the keys in table files. Internal keys are in order of the caller's key. For equal
 * caller's keys, the newer one comes first.
 */
export function compareInternal(a: Uint8Array, aBytes: number, b: Uint8Array, bBytes: number): number {
  const aEnd = aBytes - TRAILER_BYTES
  const bEnd = bBytes - TRAILER_BYTES
  const common = Math.min(aEnd, bEnd)
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  if (aEnd !== bEnd) return aEnd - bEnd
  for (let i = TRAILER_BYTES - 1; i >= 0; i--) if (a[aEnd + i] !== b[bEnd + i]) return b[bEnd + i]! - a[aEnd + i]!
  return 0
}

function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}

function grow(buffer: Uint8Array, bytes: number): Uint8Array {
  const larger = new Uint8Array(bytes * 2)
  larger.set(buffer)
  return larger
}
