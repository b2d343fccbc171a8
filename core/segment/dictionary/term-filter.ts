import { AsofError } from '@asof/extract/errors'
import { type ChunkSink, type ChunkSource, Stream } from '../streams.ts'

/**
 * Says of most terms that a segment lacks that it lacks them, without a look into its dictionary. Searches ask for many such terms: for the
 * two words that one word may be, for the rest of a compound, and in each segment for the terms of the others.
 *
 * It is a split block Bloom filter (Putze, Sanders and Singler, ACM JEA 14, 2009; also in Apache Parquet): a term chooses a block of eight
 * words, and sets one bit in each. With {@link BITS_PER_TERM} about 1 term in 100 that the segment lacks passes.
 *
 * Chunk: version u32 · blocks of 8 × u32, little-endian.
 */
const VERSION = 1
const BITS_PER_TERM = 10
const WORDS = 8
const BLOCK_BITS = WORDS * 32
/** Odd numbers, one for each word of a block: the highest bits of a product choose the bit. They are those of Apache Parquet. */
const salts = Int32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
)

/** Returns the hash of the term `bytes[start, end)`: FNV-1a, then the mixer of MurmurHash3. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Returns the index of the first word of the block that a hash chooses. */
function blockOf(hash: number, words: number): number {
  return Math.floor((hash / 2 ** 32) * (words / WORDS)) * WORDS
}

/** The bit of a hash in word `w` of its block. */
function bitOf(hash: number, w: number): number {
  return 1 << (Math.imul(hash, salts[w]!) >>> 27)
}

/** Collects the terms of a segment, and writes their filter. */
export class TermFilterWriter {
  #hashes = new Uint32Array(1024)
  #count = 0

  /** Adds the term `bytes[start, end)`, in UTF-8. */
  add(bytes: Uint8Array, start: number, end: number): void {
    if (this.#count === this.#hashes.length) {
      const grown = new Uint32Array(2 * this.#count)
      grown.set(this.#hashes)
      this.#hashes = grown
    }
    this.#hashes[this.#count++] = hashOf(bytes, start, end)
  }

  finish(sink: ChunkSink): void {
    const blocks = Math.ceil((this.#count * BITS_PER_TERM) / BLOCK_BITS)
    const stored = new Uint32Array(1 + blocks * WORDS)
    stored[0] = VERSION
    const words = stored.subarray(1)
    for (let i = 0; i < this.#count; i++) {
      const hash = this.#hashes[i]!
      const block = blockOf(hash, words.length)
      for (let w = 0; w < WORDS; w++) words[block + w]! |= bitOf(hash, w)
    }
    sink.put(Stream.termFilter, 0, new Uint8Array(stored.buffer))
  }
}

/** The filter of a written segment. */
export class TermFilter {
  readonly #words: Uint32Array

  /** @throws ASOF_STORE_CORRUPT - the filter is missing or damaged. */
  constructor(source: ChunkSource) {
    const bytes = source.get(Stream.termFilter, 0, true)
    const stored = new Uint32Array(bytes.length >>> 2)
    if (bytes.length % 4 === 0) new Uint8Array(stored.buffer).set(bytes)
    if (stored[0] !== VERSION || (stored.length - 1) % WORDS !== 0)
      throw new AsofError('ASOF_STORE_CORRUPT', 'the filter of the terms of a segment is damaged')
    this.#words = stored.subarray(1)
  }

  /** False only if the segment lacks the term `bytes[0, length)`. */
  mayHold(bytes: Uint8Array, length: number): boolean {
    const words = this.#words
    if (words.length === 0) return false
    const hash = hashOf(bytes, 0, length)
    const block = blockOf(hash, words.length)
    for (let w = 0; w < WORDS; w++) if ((words[block + w]! & bitOf(hash, w)) === 0) return false
    return true
  }
}
