import { maskedCrc32c } from './crc32c.ts'
import { LevelReader } from './level-reader.ts'

/** Size of the blocks that logs and descriptors consist of. A record is split into fragments, each inside one block. */
const BLOCK_BYTES = 32 * 1024
const HEADER_BYTES = 7
const Type = { full: 1, first: 2, middle: 3, last: 4 } as const

/** The complete records of a log, and where it is damaged. */
export interface LogContents {
  records: Uint8Array[]
  /** Offset of damage that is followed by valid records. An interrupted write cannot cause it. */
  damagedAt?: number
  /** Offset of an incomplete last record, as a crash during a write leaves it. */
  tornAt?: number
}

/** Reads a log file or a descriptor and verifies every checksum. Continues after damage. */
export function readLog(bytes: Uint8Array): LogContents {
  const contents: LogContents = { records: [] }
  let parts: Uint8Array[] = []
  /** Offset of the record whose fragments are being read; undefined between records. */
  let openAt: number | undefined
  let brokenAt: number | undefined
  let skipping = false
  const broke = (at: number): void => {
    brokenAt ??= openAt ?? at
    parts = []
    openAt = undefined
    skipping = true
  }
  for (let at = 0; at < bytes.length; ) {
    const roomInBlock = BLOCK_BYTES - (at % BLOCK_BYTES)
    if (roomInBlock < HEADER_BYTES) {
      at += roomInBlock
      continue
    }
    const fragment = fragmentAt(bytes, at, roomInBlock)
    if (!fragment) {
      broke(at)
      // The damaged length cannot be trusted. The next valid fragment is searched byte by byte.
      at++
      continue
    }
    const { type, payload } = fragment
    const starts = type === Type.full || type === Type.first
    if (starts && openAt !== undefined) broke(openAt)
    if (starts) skipping = false
    if (!starts && openAt === undefined) {
      if (!skipping) broke(at)
    } else {
      // A valid fragment follows the damage, so this was not an interrupted write.
      if (brokenAt !== undefined) contents.damagedAt ??= brokenAt
      if (starts) openAt = at
      parts.push(payload)
      if (type === Type.full || type === Type.last) {
        contents.records.push(parts.length === 1 ? payload : Buffer.concat(parts))
        parts = []
        openAt = undefined
      }
    }
    at += HEADER_BYTES + payload.length
  }
  const tornAt = openAt ?? brokenAt
  if (contents.damagedAt === undefined && tornAt !== undefined) contents.tornAt = tornAt
  return contents
}

function fragmentAt(
  bytes: Uint8Array,
  at: number,
  roomInBlock: number,
): { type: number; payload: Uint8Array } | undefined {
  // The cheapest check comes first, because after damage this function is called for every byte.
  const kind = bytes[at + HEADER_BYTES - 1]!
  if (!(kind >= Type.full && kind <= Type.last)) return undefined
  const header = new LevelReader(bytes, at)
  const crc = header.u32()
  const length = header.u8() | (header.u8() << 8)
  const type = header.u8()
  if (length > roomInBlock - HEADER_BYTES) return undefined
  const end = at + HEADER_BYTES + length
  if (end > bytes.length || maskedCrc32c(bytes.subarray(at + HEADER_BYTES - 1, end)) !== crc) return undefined
  return { type, payload: bytes.subarray(at + HEADER_BYTES, end) }
}

/** An operation in a log record, or an entry of a table. */
export interface LevelEntry {
  key: Uint8Array
  /** A greater sequence number is newer. */
  sequence: number
  /** Undefined if the entry deletes the key. */
  value: Uint8Array | undefined
}

/**
 * Returns the operations of one batch, which is one log record.
 *
 * @throws Damage
 */
export function batchOf(record: Uint8Array): LevelEntry[] {
  const fields = new LevelReader(record)
  let sequence = fields.u64()
  fields.u32()
  const entries: LevelEntry[] = []
  while (!fields.done) {
    const isValue = fields.u8() === 1
    const key = fields.sized()
    entries.push({ key, sequence: sequence++, value: isValue ? fields.sized() : undefined })
  }
  return entries
}
