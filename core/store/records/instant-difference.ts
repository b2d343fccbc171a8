import type { ByteReader, ByteWriter } from '../../bytes/byte-buffer.ts'

/**
 * Writes the difference of two instants as a varint whose lowest bit is the sign. The difference is negative if the
 * first instant of a record is before 1970. The first byte is written separately, because the greatest differences with
 * a sign are no safe integers.
 */
export function writeDifference(difference: number, writer: ByteWriter): void {
  const magnitude = difference < 0 ? -difference - 1 : difference
  const low = (magnitude % 64) * 2 + (difference < 0 ? 1 : 0)
  if (magnitude < 64) writer.u8(low)
  else {
    writer.u8(low | 128)
    writer.varint(Math.floor(magnitude / 64))
  }
}

/** Reads a difference that {@link writeDifference} wrote. */
export function readDifference(reader: ByteReader): number {
  const low = reader.u8()
  const magnitude = ((low & 127) >>> 1) + (low < 128 ? 0 : reader.varint() * 64)
  return low % 2 === 0 ? magnitude : -magnitude - 1
}
