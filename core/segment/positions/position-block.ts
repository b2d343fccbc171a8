import { AsofError } from '@asof/extract/errors'
import { BLOCK } from '../../bytes/bit-packing.ts'
import type { ByteWriter } from '../../bytes/byte-buffer.ts'
import { VarintCursor } from '../../bytes/varint-cursor.ts'
import { isCountWidth, readCounts, writeCounts } from './escaped-counts.ts'
import { RunReader, writeRun } from './packed-run.ts'

const counts = new Uint32Array(BLOCK)
const varints = new VarintCursor(new Uint8Array(0))

/**
 * The positions of a block of postings: the number of positions of each posting, then one run with all of them, see {@link writeRun}. The
 * run has the first position of a posting as it is, and the others as gaps.
 */
export class PositionBlock {
  /** For each posting the index of its first position in the run; after the last posting, the length of the run. */
  readonly starts: Uint32Array = new Uint32Array(BLOCK + 1)
  readonly #run = new RunReader()
  #all = new Uint32Array(0)

  /**
   * Opens a block of {@link BLOCK} postings that {@link writeFullBlock} wrote at offset `at`.
   *
   * @param width - the width that {@link writeFullBlock} returned.
   * @throws ASOF_STORE_CORRUPT
   */
  openFull(bytes: Uint8Array, at: number, width: number): void {
    const isAligned = (bytes.byteOffset + at) % 4 === 0
    if (!isAligned || !isCountWidth(width) || at + (BLOCK / 8) * width > bytes.length) throw corrupt()
    const runAt = readCounts(bytes, at, width, counts)
    if (runAt > bytes.length) throw corrupt()
    this.#open(bytes, runAt, BLOCK)
  }

  /**
   * Opens the tail of `size` postings that {@link writePositionsTail} wrote at offset `at`.
   *
   * @throws ASOF_STORE_CORRUPT
   */
  openTail(bytes: Uint8Array, at: number, size: number): void {
    varints.bytes = bytes
    varints.at = at
    counts.fill(1, 0, size)
    for (let others = varints.next(), i = -1; others > 0; others--) {
      i += varints.next() + 1
      if (i >= size) throw corrupt()
      counts[i] = varints.next()
    }
    if (varints.at > bytes.length) throw corrupt()
    this.#open(bytes, varints.at, size)
  }

  #open(bytes: Uint8Array, runAt: number, size: number): void {
    let total = 0
    for (let i = 0; i < size; i++) {
      this.starts[i] = total
      total += counts[i]!
    }
    this.starts[size] = total
    this.#run.open(bytes, runAt, total)
  }

  /** Reads the first position of the posting at `index`, and the gaps after it, into `out`, which must have room for them. */
  gaps(index: number, out: Uint32Array): void {
    this.#run.read(this.starts[index]!, this.starts[index + 1]!, out)
  }

  /** Reads some of these, from the one numbered `from` up to `to`. */
  someGaps(index: number, from: number, to: number, out: Uint32Array): void {
    const start = this.starts[index]!
    this.#run.read(start + from, start + to, out)
  }

  /** Reads the whole run of a block of `size` postings. The array, which may be longer, is valid until the next call. */
  allGaps(size: number): Uint32Array {
    const total = this.starts[size]!
    if (total > this.#all.length) this.#all = new Uint32Array(2 * total)
    this.#run.read(0, total, this.#all)
    return this.#all
  }
}

/** Appends the counts and positions of {@link BLOCK} postings; returns the width of the counts. */
export function writeFullBlock(counts: Uint32Array, positions: Uint32Array, out: ByteWriter): number {
  const width = writeCounts(counts, out)
  writeRun(positions, sum(counts, BLOCK), out)
  return width
}

/**
 * Appends the counts and positions of `size` postings. Most postings have one position, so only the other ones are listed: varint number
 * of the others; for each of them, varint number of postings since the last one listed, varint count. Then comes the run of positions.
 */
export function writePositionsTail(counts: Uint32Array, size: number, positions: Uint32Array, out: ByteWriter): void {
  let others = 0
  for (let i = 0; i < size; i++) if (counts[i] !== 1) others++
  out.varint(others)
  for (let i = 0, before = -1; i < size; i++) {
    if (counts[i] === 1) continue
    out.varint(i - before - 1)
    out.varint(counts[i]!)
    before = i
  }
  writeRun(positions, sum(counts, size), out)
}

function sum(counts: Uint32Array, size: number): number {
  let total = 0
  for (let i = 0; i < size; i++) total += counts[i]!
  return total
}

function corrupt(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'a block of positions does not fit its bytes')
}
