import { ByteReader, ByteWriter, expectVersion } from '../segment/byte-buffer.ts'
import type { RevisedCapture, RevisedFields, RevisionRow } from '../segment/revisions.ts'
import { type BodyDetails, readDetails, writeDetails } from './documents.ts'
import { readDifference, writeDifference } from './instant-difference.ts'
import { readPacked, writePacked } from './packed.ts'

/** What a page says besides its text. */
export interface Metadata {
  /** Epoch ms; absent when unknown. */
  publishedAt?: number
  details: BodyDetails
}

const VERSION = 1
/** The order of the fields on disk. */
const fieldOrder = ['author', 'kind', 'lang', 'language', 'description'] as const satisfies (keyof RevisedFields)[]

/** A revision: version, publish date (NaN: unknown), and the packed details. */
export function encodeRevision({ publishedAt = Number.NaN, details }: Metadata): Uint8Array {
  const packed = new ByteWriter(256)
  writeDetails(details, packed)
  const writer = new ByteWriter(packed.length + 32)
  writer.u8(VERSION)
  writer.f64(publishedAt)
  writePacked(packed.bytes.subarray(0, packed.length), writer)
  return writer.finish()
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeRevision(bytes: Uint8Array): Metadata {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'revision')
  const publishedAt = reader.f64()
  const details = readDetails(new ByteReader(readPacked(reader)))
  return { ...(!Number.isNaN(publishedAt) && { publishedAt }), details }
}

/** The rows that a search keeps in memory for one capture: version, when the capture was acquired, then row by row. */
export function encodeRevisionRows({ acquiredAt, rows }: Omit<RevisedCapture, 'captureId'>): Uint8Array {
  const writer = new ByteWriter(64 + rows.length * 48)
  writer.u8(VERSION)
  writer.f64(acquiredAt)
  writer.varint(rows.length)
  let previous = acquiredAt
  let before: RevisedFields | undefined
  for (const { at, publishedAt, declared, fields } of rows) {
    const isSame = fieldOrder.every(name => before?.[name] === fields[name])
    writer.u8((declared ? 1 : 0) | (isSame ? 2 : 0))
    writeDifference(at - previous, writer)
    previous = at
    writer.f64(publishedAt)
    if (!isSame) for (const name of fieldOrder) writer.string(fields[name])
    before = fields
  }
  return writer.finish()
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeRevisionRows(bytes: Uint8Array): Omit<RevisedCapture, 'captureId'> {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'rows of revisions')
  const acquiredAt = reader.f64()
  const rows: RevisionRow[] = []
  let at = acquiredAt
  let fields: RevisedFields = { author: '', kind: '', lang: '', language: '', description: '' }
  for (let n = reader.varint(); n > 0; n--) {
    const flags = reader.u8()
    at += readDifference(reader)
    const publishedAt = reader.f64()
    if ((flags & 2) === 0) {
      fields = { ...fields }
      for (const name of fieldOrder) fields[name] = reader.string()
    }
    rows.push({ at, publishedAt, declared: (flags & 1) === 1, fields })
  }
  return { acquiredAt, rows }
}
