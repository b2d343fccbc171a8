import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'
import type { RevisedCapture, RevisionRow, SearchedMetadata } from '../../segment/columns/revisions.ts'
import { type BodyDetails, readDetails, writeDetails } from './documents.ts'
import { readDifference, writeDifference } from './instant-difference.ts'
import { readPacked, writePacked } from './packed.ts'

/** Title and Markdown of a page, exactly as written, with markup and white space. */
export interface Form {
  title: string
  markdown: string
}

/** The properties of a page besides its text. */
export interface Metadata {
  /** Epoch ms; undefined if unknown. */
  publishedAt?: number
  details: BodyDetails
}

const VERSION = 1
const ROWS_VERSION = 1
/** The order of these properties on disk. */
const propertyOrder = [
  'author',
  'kind',
  'lang',
  'language',
  'description',
] as const satisfies (keyof SearchedMetadata)[]

/**
 * The metadata of a page from an instant on. `form` is present if markup or white space differ from those of the
 * capture.
 */
export interface Revision extends Metadata {
  form?: Form
}

/**
 * Encodes a revision: version, publish date (NaN: unknown), then compressed the details and, if present, title and
 * Markdown.
 */
export function encodeRevision({ publishedAt = Number.NaN, details, form }: Revision): Uint8Array {
  const packed = new ByteWriter(256)
  writeDetails(details, packed)
  if (form) for (const text of [form.title, form.markdown]) packed.string(text)
  const writer = new ByteWriter(packed.length + 32)
  writer.u8(VERSION)
  writer.f64(publishedAt)
  writePacked(packed.bytes.subarray(0, packed.length), writer)
  return writer.finish()
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeRevision(bytes: Uint8Array): Revision {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'revision')
  const publishedAt = reader.f64()
  const unpacked = readPacked(reader)
  const rest = new ByteReader(unpacked)
  const details = readDetails(rest)
  const form = rest.at < unpacked.length ? { title: rest.string(), markdown: rest.string() } : undefined
  return { publishedAt: Number.isNaN(publishedAt) ? undefined : publishedAt, details, form }
}

/**
 * Encodes the values by which searches filter the revisions of a capture: version, instant of the capture, instant of
 * the declared removal that ended it (NaN: none), then one row for each revision.
 */
export function encodeRevisionRows({
  acquiredAt,
  removedAt = Number.NaN,
  rows,
}: Omit<RevisedCapture, 'captureId'>): Uint8Array {
  const writer = new ByteWriter(64 + rows.length * 48)
  writer.u8(ROWS_VERSION)
  writer.f64(acquiredAt)
  writer.f64(removedAt)
  writer.varint(rows.length)
  let previous = acquiredAt
  let before: SearchedMetadata | undefined
  for (const { at, publishedAt, declared, metadata } of rows) {
    const isSame = propertyOrder.every(name => before?.[name] === metadata[name])
    const hasOtherValues = metadata.values !== (before?.values ?? '')
    writer.u8((declared ? 1 : 0) | (isSame ? 2 : 0) | (hasOtherValues ? 4 : 0))
    writeDifference(at - previous, writer)
    previous = at
    writer.f64(publishedAt)
    if (!isSame) for (const name of propertyOrder) writer.string(metadata[name])
    if (hasOtherValues) writer.string(metadata.values)
    before = metadata
  }
  return writer.finish()
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeRevisionRows(bytes: Uint8Array): Omit<RevisedCapture, 'captureId'> {
  const reader = new ByteReader(bytes)
  expectVersion(reader, ROWS_VERSION, 'rows of revisions')
  const acquiredAt = reader.f64()
  const removedAt = reader.f64()
  const rows: RevisionRow[] = []
  let at = acquiredAt
  let metadata: SearchedMetadata = { author: '', kind: '', lang: '', language: '', description: '', values: '' }
  for (let n = reader.varint(); n > 0; n--) {
    const flags = reader.u8()
    at += readDifference(reader)
    const publishedAt = reader.f64()
    if ((flags & 2) === 0) {
      metadata = { ...metadata }
      for (const name of propertyOrder) metadata[name] = reader.string()
    }
    if ((flags & 4) !== 0) metadata = { ...metadata, values: reader.string() }
    rows.push({ at, publishedAt, declared: (flags & 1) === 1, metadata })
  }
  return { acquiredAt, rows, removedAt: Number.isNaN(removedAt) ? undefined : removedAt }
}
