import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'

/**
 * Version of the supersession record, which has the instant at which a capture of an existing segment was superseded.
 * The record is outside the segment, because segments never change. The next merge moves the instant into the merged
 * segment.
 */
const VERSION = 1

/** @param supersededAt - epoch ms, or the value of a tombstone. */
export function encodeSupersession(supersededAt: number): Uint8Array {
  const writer = new ByteWriter(9)
  writer.u8(VERSION)
  writer.f64(supersededAt)
  return writer.finish()
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeSupersession(bytes: Uint8Array): number {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'supersession')
  return reader.f64()
}
