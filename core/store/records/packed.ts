import zlib from 'node:zlib'
import { AsofError } from '@asof/extract/errors'
import type { ByteReader, ByteWriter } from '../../bytes/byte-buffer.ts'

/**
 * The lowest level of zstd (RFC 8878). It compresses four pages of 2 KB together in a third of the time that deflate
 * takes for single pages at level 5, and makes them shorter. Higher levels take longer and save less than a hundredth.
 */
const params = { [zlib.constants.ZSTD_c_compressionLevel]: 1 }
/** Values shorter than this are stored uncompressed. Compression would save little, and takes time to set up. */
const MIN_BYTES = 128
/** The highest compression ratio: a block of 128 KiB of one repeated byte takes 4 bytes. */
const MAX_PER_BYTE = 32 * 1024

/**
 * Writes bytes as their number, the number of compressed bytes, and the compressed bytes. If compression does not make
 * them shorter, the bytes themselves are written.
 */
export function writePacked(bytes: Uint8Array, out: ByteWriter): void {
  const packed = bytes.length < MIN_BYTES ? bytes : zlib.zstdCompressSync(bytes, { params, chunkSize: bytes.length })
  const smaller = packed.length < bytes.length ? packed : bytes
  out.varint(bytes.length)
  out.varint(smaller.length)
  out.raw(smaller)
}

/**
 * Reads bytes that {@link writePacked} wrote.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function readPacked(reader: ByteReader): Uint8Array {
  const length = reader.varint()
  const packed = reader.raw(reader.varint())
  if (packed.length === length) return packed
  if (length > packed.length * MAX_PER_BYTE) throw corrupt()
  let bytes: Uint8Array
  try {
    // The chunk has one byte more than the output. Otherwise zlib would allocate another one.
    bytes = zlib.zstdDecompressSync(packed, {
      chunkSize: Math.max(64, length + 1),
      maxOutputLength: Math.max(1, length),
    })
  } catch (cause) {
    throw corrupt(cause)
  }
  if (bytes.length !== length) throw corrupt()
  return bytes
}

/**
 * Skips bytes that {@link writePacked} wrote. Returns the number of bytes that {@link readPacked} would return.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function skipPacked(reader: ByteReader): number {
  const length = reader.varint()
  reader.skip(reader.varint())
  return length
}

function corrupt(cause?: unknown): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', "a packed value can't be unpacked", { cause })
}
