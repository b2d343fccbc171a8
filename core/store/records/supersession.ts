import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'

/**
 * Version of the supersession record. It has the instant at which a capture was superseded after its segment was written. A segment never
 * changes, so this is stored beside it. A merge writes the instant into the column of the new segment.
 */
const VERSION = 1

/** @param supersededAt - epoch ms, or the value that marks a tombstone. */
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
