import { AsofError } from '../errors.ts'
import { ByteReader, ByteWriter, expectVersion } from '../segment/byte-buffer.ts'

/**
 * Everything seen at one URL, by time: new content (`capture`), the same content again (`sighting`), and its removal.
 * Among equal times the later one to arrive comes later and wins.
 */
export type Observation =
  | { kind: 'capture'; at: number; captureId: number; fingerprint: string }
  | { kind: 'sighting'; at: number }
  | { kind: 'removal'; at: number }

export type UrlRecord = Observation[]

const VERSION = 1
const kinds = ['capture', 'sighting', 'removal'] as const

/** Hex digits of a content fingerprint (64 bits). */
export const FINGERPRINT_DIGITS = 16

export function encodeUrlRecord(record: UrlRecord): Uint8Array {
  const writer = new ByteWriter(32 + record.length * 16)
  writer.u8(VERSION)
  writer.varint(record.length)
  let previous = 0
  for (const observation of record) {
    writer.u8(kinds.indexOf(observation.kind))
    writeDifference(observation.at - previous, writer)
    previous = observation.at
    if (observation.kind === 'capture') {
      writer.varint(observation.captureId)
      writer.raw(Buffer.from(observation.fingerprint, 'hex'))
    }
  }
  return writer.finish()
}

/**
 * Writes a zigzag varint: instants before 1970 make the first difference negative. The lowest bits are split off, as
 * the zigzag of the furthest instants is more than a number holds exactly.
 */
function writeDifference(difference: number, writer: ByteWriter): void {
  const magnitude = difference < 0 ? -difference - 1 : difference
  const low = (magnitude % 64) * 2 + (difference < 0 ? 1 : 0)
  if (magnitude < 64) writer.u8(low)
  else {
    writer.u8(low | 128)
    writer.varint(Math.floor(magnitude / 64))
  }
}

function readDifference(reader: ByteReader): number {
  const low = reader.u8()
  const magnitude = ((low & 127) >>> 1) + (low < 128 ? 0 : reader.varint() * 64)
  return low % 2 === 0 ? magnitude : -magnitude - 1
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeUrlRecord(bytes: Uint8Array): UrlRecord {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'URL record')
  const record: UrlRecord = []
  let previous = 0
  for (let n = reader.varint(); n > 0; n--) {
    const kind = kinds[reader.u8()]
    const at = previous + readDifference(reader)
    previous = at
    if (kind === 'capture') {
      const captureId = reader.varint()
      const fingerprint = Buffer.from(reader.raw(FINGERPRINT_DIGITS / 2)).toString('hex')
      record.push({ kind, at, captureId, fingerprint })
    } else if (kind) record.push({ kind, at })
    else throw new AsofError('ASOF_STORE_CORRUPT', 'a URL record holds an unknown kind of observation')
  }
  return record
}
