import { AsofError } from '@asof/extract/errors'
import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'
import { readDifference, writeDifference } from './instant-difference.ts'

/**
 * One observation of a URL.
 * - `capture`: content with another text than before
 * - `revision`: content with the same text, but other metadata, markup or white space
 * - `sighting`: content without any difference
 * - `seen`: the page was fetched again and had not changed; there is no content
 * - `removal`: the page is gone
 */
export type RecordedObservation =
  | {
      kind: 'capture'
      at: number
      captureId: number
      /** {@link FINGERPRINT_DIGITS} hex digits: a fingerprint of title, text and identifiers. */
      fingerprint: string
      /** {@link METADATA_DIGITS} hex digits: a fingerprint of metadata, markup and white space. */
      metadata: string
      /** True if the caller declared `at`. */
      declared: boolean
    }
  | { kind: 'revision'; at: number; revisionId: number; metadata: string; declared: boolean }
  | { kind: 'sighting'; at: number; declared: boolean }
  | { kind: 'seen'; at: number }
  | { kind: 'removal'; at: number; declared: boolean }

/** The observations of one URL, sorted by time, at most one per millisecond. */
export type UrlRecord = RecordedObservation[]

const VERSION = 1
const kinds = ['capture', 'sighting', 'removal', 'revision', 'seen'] as const
/** Set in the byte of the kind if the caller declared the instant. */
const DECLARED = 8

/** Number of hex digits of a content fingerprint (64 bits). */
export const FINGERPRINT_DIGITS = 16
/**
 * Number of hex digits of a metadata fingerprint: 48 bits of the metadata, then 48 bits of title and Markdown. 48 bits
 * suffice, because only contents with the same text are compared.
 */
export const METADATA_DIGITS = 24

/** Returns the part of a metadata fingerprint that depends on the title and the Markdown, including markup and white space. */
export function formOf(metadata: string): string {
  return metadata.slice(METADATA_DIGITS / 2)
}

export function encodeUrlRecord(record: UrlRecord): Uint8Array {
  const writer = new ByteWriter(32 + record.length * 24)
  writer.u8(VERSION)
  writer.varint(record.length)
  let previous = 0
  for (const observation of record) {
    const declared = 'declared' in observation && observation.declared
    writer.u8(kinds.indexOf(observation.kind) | (declared ? DECLARED : 0))
    writeDifference(observation.at - previous, writer)
    previous = observation.at
    if (observation.kind === 'capture') {
      writer.varint(observation.captureId)
      writer.raw(Buffer.from(observation.fingerprint, 'hex'))
    } else if (observation.kind === 'revision') writer.varint(observation.revisionId)
    if ('metadata' in observation) writer.raw(Buffer.from(observation.metadata, 'hex'))
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
    const byte = reader.u8()
    const kind = kinds[byte & ~DECLARED]
    const declared = (byte & DECLARED) !== 0
    const at = previous + readDifference(reader)
    if (record.length > 0 && at <= previous)
      throw new AsofError('ASOF_STORE_CORRUPT', 'the observations of a URL record are out of order')
    previous = at
    if (kind === 'capture') {
      const captureId = reader.varint()
      const fingerprint = hex(reader, FINGERPRINT_DIGITS)
      record.push({ kind, at, captureId, fingerprint, metadata: hex(reader, METADATA_DIGITS), declared })
    } else if (kind === 'revision') {
      const revisionId = reader.varint()
      record.push({ kind, at, revisionId, metadata: hex(reader, METADATA_DIGITS), declared })
    } else if (kind === 'sighting') record.push({ kind, at, declared })
    else if (kind === 'removal') record.push({ kind, at, declared })
    else if (kind && !declared) record.push({ kind, at })
    else throw new AsofError('ASOF_STORE_CORRUPT', 'a URL record holds an unknown kind of observation')
  }
  return record
}

function hex(reader: ByteReader, digits: number): string {
  return Buffer.from(reader.raw(digits / 2)).toString('hex')
}
