import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ByteReader, ByteWriter } from '../../bytes/byte-buffer.ts'
import { AsofError } from '../../errors.ts'

/**
 * Bytes compressed by themselves, so that one page is read without its neighbours: length, packed length, and raw
 * deflate (RFC 1951), or the bytes as they are where that gains nothing. For a few kilobytes zlib packs as well as zstd
 * does and is opened in a fraction of the time: most of what zstd takes for them is setting up. Of pages of 2 KB, level 3
 * leaves 44.9 % in 44 µs, 5 leaves 44.0 % in 62 µs, and 6 is no smaller. Of the longer texts of real pages (18 KB on the
 * mean), 4 leaves 36.2 % in three quarters of the time in which 5 leaves 35.6 %.
 */
const LEVEL = 5
const LEVEL_OF_LONG = 4
const LONG_BYTES = 8 * 1024
/** Fewer gain next to nothing for the time that setting deflate up takes. */
const LEAST_BYTES = 128
/** Deflate can't make more of a byte (zlib's technical details: 1032:1). */
const MOST_PER_BYTE = 1032

/** Of what it is told beforehand deflate can use so much at most. */
const WINDOW_BYTES = 32 * 1024

/** @param known - bytes that the reader will have, too, and that these have something in common with. */
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
 * @throws ASOF_STORE_CORRUPT
 */
export function readPacked(reader: ByteReader, known?: Uint8Array): Uint8Array {
  const length = reader.varint()
  const packed = reader.raw(reader.varint())
  if (packed.length === length) return packed
  if (length > packed.length * MOST_PER_BYTE) throw corrupt()
  let bytes: Uint8Array
  try {
    // One unit of room more than it needs, or zlib would ask for another piece of output.
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

function corrupt(cause?: unknown): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', "a packed value can't be unpacked", { cause })
}
