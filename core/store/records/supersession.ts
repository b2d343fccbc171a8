import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'

/**
 * When a capture of a written segment stopped being current, kept beside the segment until a merge folds it into the
 * new segment's column: a segment itself never changes.
 */
const VERSION = 1

/** @param supersededAt - epoch ms, or −Infinity for a purged capture. */
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
