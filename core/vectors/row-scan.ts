import { type SharedKernelMemory, WebAssembly } from '../bytes/web-assembly.ts'
import { compileKernel } from '../kernels/load-kernel.ts'
import { MAX_DIMENSIONS } from './quantized.ts'
import { MIDDLE, MIN_DIVIDED, type RowLayout } from './row-layout.ts'
import { base64 } from './row-scan.generated.ts'
import type { Similarities } from './similarities.ts'

/** The exports of `row-scan.c`, which names their parameters. */
type ScanExports = Readonly<
  Record<'scan' | 'bounds', (...numbers: number[]) => void> &
    Record<'collect' | 'narrow' | 'sample', (...numbers: number[]) => number> &
    Record<'score', (...numbers: number[]) => void>
>

const PAGE_BYTES = 65_536
/** The address of the first row. */
const ROWS_AT = 1024
/** Number of rows that the kernel compares, lists or scores in one call. */
export const ROW_BLOCK = 4096
/** Number of rows that have one maximum of their bounds. `MAXIMUM_OF` in row-scan.c is the same. */
export const MAXIMUM_OF = 256
/**
 * The parts of the scratch space of a thread: the query in 16 bits; the places and the scores of a block, or a list of its rows; what is added up; then one
 * bit, one bound and a part of a maximum for each row, with which the nearest rows are found.
 */
const PLACES_AT = 2 * MAX_DIMENSIONS
const SCORES_AT = PLACES_AT + 4 * ROW_BLOCK
const TOTALS_AT = SCORES_AT + 4 * ROW_BLOCK
const BITS_AT = TOTALS_AT + 32
/** The length of a part of a vector is a multiple of the whole length divided by this, rounded up. */
export const PART_LENGTHS = 65_535
/** Number of threads that can compare at the same time. */
const SCRATCHES = 32

/** The vector of a query, and 1 / its length. */
export interface Direction {
  vector: Int8Array
  inverse: number
}

/** The rows that are compared. */
export interface ScannedRows {
  /** For each row of the table, the place of its score; 0 for a row that must not take part. */
  places: Int32Array
  /** The first row. */
  from: number
  /** The row after the last. */
  to: number
  /** The least level of the rows that are added up. */
  level: number
}

/** Rows of vectors in a memory that threads and kernels share. Parts that were never written take no physical memory. */
export interface RowMemory {
  /** Number of components for which there is room. */
  room: number
  /** See {@link RowLayout}. */
  rows: Int8Array<SharedArrayBuffer>
  /** For each row, 1 / length of its vector. */
  inverses: Float64Array<SharedArrayBuffer>
  /** For each divided row, 8 bytes: `Lengths` of row-scan.c. The first four are 1 / length in single precision. */
  lengths: Float32Array<SharedArrayBuffer>
  /** The same bytes. The third and fourth number of each row are the lengths behind the head and behind the middle. */
  partLengths: Uint16Array<SharedArrayBuffer>
  /** For each row, the sampling level of its vector. */
  levels: Uint8Array<SharedArrayBuffer>
  /** Undefined where WebAssembly is missing; then no kernel can read the rows. */
  kernelMemory: SharedKernelMemory | undefined
  /** The address of the first scratch space, and the bytes of each. */
  scratchAt: number
  scratchBytes: number
  /** For each scratch space, 1 while a thread has it. */
  scratches: Int32Array<SharedArrayBuffer>
}

/** @param numbers - components of all rows. @param count - maximum number of rows. */
export function rowMemory(numbers: number, count: number): RowMemory {
  const scratches = new Int32Array(new SharedArrayBuffer(4 * SCRATCHES))
  const divided = aligned(Math.min(count, Math.floor(numbers / MIN_DIVIDED)))
  // The middles of rows begin at the next line of the cache.
  const bytes = numbers + MIDDLE
  const inversesAt = aligned(ROWS_AT + bytes)
  const lengthsAt = aligned(inversesAt + 8 * count)
  const levelsAt = lengthsAt + 8 * divided
  const scratchAt = aligned(levelsAt + count)
  const scratchBytes = BITS_AT + bitBytes(divided) + 4 * divided + aligned(4 * Math.ceil(divided / MAXIMUM_OF))
  const pages = Math.ceil((scratchAt + SCRATCHES * scratchBytes) / PAGE_BYTES)
  const kernelMemory = WebAssembly && new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
  const buffer = kernelMemory?.buffer ?? new SharedArrayBuffer(pages * PAGE_BYTES)
  return {
    room: numbers,
    rows: new Int8Array(buffer, ROWS_AT, bytes),
    inverses: new Float64Array(buffer, inversesAt, count),
    lengths: new Float32Array(buffer, lengthsAt, 2 * divided),
    partLengths: new Uint16Array(buffer, lengthsAt, 4 * divided),
    levels: new Uint8Array(buffer, levelsAt, count),
    kernelMemory,
    scratchAt,
    scratchBytes,
    scratches,
  }
}

function aligned(address: number): number {
  return Math.ceil(address / 16) * 16
}

/** Returns the bytes of a bit for each row. */
function bitBytes(rows: number): number {
  return aligned(Math.ceil(rows / 8))
}

/** Compiled once; null where WebAssembly has no SIMD. */
let module: object | null | undefined

/** The scratch space that a thread has, with the addresses of its parts. */
export interface RowScratch {
  query: number
  /** A list of up to {@link ROW_BLOCK} rows. With the bound of each, it also takes the place of the scores. */
  list: Uint32Array
  scores: Int32Array
  /** One bit for each row. */
  bits: Uint32Array
  bounds: number
  maxima: Float32Array
}

/** Compares a vector with the rows of a memory, in WebAssembly. */
export class RowScan {
  readonly memory: RowMemory
  readonly kernel: ScanExports
  readonly #buffer: SharedArrayBuffer

  private constructor(memory: RowMemory, buffer: SharedArrayBuffer, kernel: ScanExports) {
    this.memory = memory
    this.#buffer = buffer
    this.kernel = kernel
  }

  /** Returns undefined where WebAssembly is missing or has no SIMD. */
  static open(memory: RowMemory): RowScan | undefined {
    const { kernelMemory } = memory
    module ??= compileKernel(base64) ?? null
    if (!WebAssembly || !module || !kernelMemory) return undefined
    const { exports } = new WebAssembly.Instance(module, { env: { memory: kernelMemory } })
    return new RowScan(memory, kernelMemory.buffer, exports as ScanExports)
  }

  /**
   * Compares rows with a vector.
   *
   * @param layout - that of the rows.
   * @param scores - gets the scores, see {@link scoreOf}. `scores[0]` gets any.
   * @returns false if too many threads compare at the moment. Then nothing was done.
   */
  run(
    { vector, inverse }: Direction,
    layout: RowLayout,
    { places, from, to, level }: ScannedRows,
    scores: Int32Array,
    all: Similarities,
  ): boolean {
    const done = this.withScratch(vector, ({ query, list: blockPlaces, scores: blockScores }) => {
      const { inverses, levels } = this.memory
      const totals = new Float64Array(this.#buffer, query + TOTALS_AT, 4)
      for (let first = from; first < to; first += ROW_BLOCK) {
        const block = places.subarray(first, Math.min(first + ROW_BLOCK, to))
        blockPlaces.set(block)
        // The kernel compares four rows at once. Those after the last do not take part.
        const count = (block.length + 3) & ~3
        blockPlaces.fill(0, block.length, count)
        this.kernel.scan(
          ...this.addressesOf(layout, first),
          ...layout.widths,
          count,
          query,
          inverse,
          inverses.byteOffset + 8 * first,
          blockPlaces.byteOffset,
          levels.byteOffset + first,
          level,
          blockScores.byteOffset,
          totals.byteOffset,
        )
        all.addCount(totals[3]!)
        all.addSums(totals[0]!, totals[1]!, totals[2]!)
        for (let i = 0; i < block.length; i++) scores[block[i]!] = blockScores[i]!
      }
      return true
    })
    return done ?? false
  }

  /** The addresses of the parts of a row. */
  addressesOf({ offsets, widths }: RowLayout, row: number): [head: number, middle: number, rest: number] {
    return [
      ROWS_AT + offsets[0] + row * widths[0],
      ROWS_AT + offsets[1] + row * widths[1],
      ROWS_AT + offsets[2] + row * widths[2],
    ]
  }

  /**
   * Calls a function with a scratch space that has the vector of a query. Returns what it returns; undefined, without a call, if too many threads
   * compare at the moment.
   */
  withScratch<T>(vector: Int8Array, use: (scratch: RowScratch) => T): T | undefined {
    const { scratches, scratchAt, scratchBytes, lengths } = this.memory
    const divided = lengths.length / 2
    const scratch = scratches.findIndex((_, i) => Atomics.compareExchange(scratches, i, 0, 1) === 0)
    if (scratch < 0) return undefined
    try {
      const query = scratchAt + scratch * scratchBytes
      new Int16Array(this.#buffer, query, vector.length).set(vector)
      const bounds = query + BITS_AT + bitBytes(divided)
      return use({
        query,
        list: new Uint32Array(this.#buffer, query + PLACES_AT, ROW_BLOCK),
        scores: new Int32Array(this.#buffer, query + SCORES_AT, ROW_BLOCK),
        bits: new Uint32Array(this.#buffer, query + BITS_AT, Math.ceil(divided / 32)),
        bounds,
        maxima: new Float32Array(this.#buffer, bounds + 4 * divided, Math.ceil(divided / MAXIMUM_OF)),
      })
    } finally {
      Atomics.store(scratches, scratch, 0)
    }
  }
}
