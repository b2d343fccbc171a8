import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ByteReader, ByteWriter } from '../../bytes/byte-buffer.ts'
import { AsofError } from '../../errors.ts'

/**
 * Compression level of deflate for short and for long values. A packed value is its length, its compressed length, and
 * raw deflate (RFC 1951), or the original bytes if deflate does not make them shorter. Each value is compressed
 * separately, so that a page can be read alone.
 *
 * For a few kilobytes zlib compresses as well as zstd and decompresses many times faster, because zstd takes long to
 * set up. Measured: level 3 compresses pages of 2 KB to 44.9 % in 44 µs, level 5 to 44.0 % in 62 µs, and level 6 no
 * further. Level 4 compresses the texts of real pages (18 KB on average) to 36.2 %, in three quarters of the time of
 * level 5, which reaches 35.6 %.
 */
const LEVEL = 5
const LEVEL_OF_LONG = 4
const LONG_BYTES = 8 * 1024
/** Values shorter than this are stored uncompressed. Deflate would save little, and takes time to set up. */
const LEAST_BYTES = 128
/** The highest compression ratio that deflate can reach (zlib technical details: 1032:1). */
const MOST_PER_BYTE = 1032

/** Number of bytes of a preset dictionary that deflate can use at most. */
const WINDOW_BYTES = 32 * 1024

/**
 * Compresses bytes.
 *
 * @param known - a preset dictionary: bytes that the reader also has, and that have much in common with `bytes`.
 */
export function writePacked(bytes: Uint8Array, out: ByteWriter, known?: Uint8Array): void {
  const level = bytes.length < LONG_BYTES ? LEVEL : LEVEL_OF_LONG
  const packed =
    bytes.length < LEAST_BYTES
      ? bytes
      : deflateRawSync(bytes, { level, chunkSize: bytes.length, ...dictionaryOf(known) })
  const smaller = packed.length < bytes.length ? packed : bytes
  out.varint(bytes.length)
  out.varint(smaller.length)
  out.raw(smaller)
}

function dictionaryOf(known: Uint8Array | undefined): { dictionary?: Uint8Array } {
  return known && known.length > 0 ? { dictionary: known.subarray(-WINDOW_BYTES) } : {}
}

/**
 * Reads bytes that {@link writePacked} wrote.
 *
 * @param known - the preset dictionary that the writer used.
 * @throws ASOF_STORE_CORRUPT
 */
export function readPacked(reader: ByteReader, known?: Uint8Array): Uint8Array {
  const length = reader.varint()
  const packed = reader.raw(reader.varint())
  if (packed.length === length) return packed
  if (length > packed.length * MOST_PER_BYTE) throw corrupt()
  let bytes: Uint8Array
  try {
    // The chunk has one byte more than the output. Otherwise zlib would allocate another one.
    bytes = inflateRawSync(packed, {
      chunkSize: Math.max(64, length + 1),
      maxOutputLength: length,
      ...dictionaryOf(known),
    })
  } catch (cause) {
    throw corrupt(cause)
  }
  if (bytes.length !== length) throw corrupt()
  return bytes
}

/**
 * Skips bytes that {@link writePacked} wrote.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function skipPacked(reader: ByteReader): void {
  reader.varint()
  reader.skip(reader.varint())
}

function corrupt(cause?: unknown): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', "a packed value can't be unpacked", { cause })
}
