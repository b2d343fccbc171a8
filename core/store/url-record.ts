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
    // Instants before 1970 make the first difference negative: zigzag.
    const difference = observation.at - previous
    writer.varint(difference < 0 ? -difference * 2 - 1 : difference * 2)
    previous = observation.at
    if (observation.kind === 'capture') {
      writer.varint(observation.captureId)
      writer.raw(Buffer.from(observation.fingerprint, 'hex'))
    }
  }
  return writer.finish()
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
    const zigzag = reader.varint()
    const at = previous + (zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2)
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
