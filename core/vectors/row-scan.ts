import { type SharedKernelMemory, WebAssembly } from '../bytes/web-assembly.ts'
import { compileKernel } from '../kernels/load-kernel.ts'
import { MAX_DIMENSIONS } from './quantized.ts'
import { base64 } from './row-scan.generated.ts'
import type { Similarities } from './similarities.ts'

/** The export of `row-scan.c`. */
interface ScanExports {
  scan(
    rows: number,
    count: number,
    dimensions: number,
    query: number,
    inverse: number,
    inverses: number,
    places: number,
    scores: number,
    totals: number,
  ): void
}

const PAGE_BYTES = 65_536
/** The address of the first row. */
const ROWS_AT = 1024
/** Number of rows that the kernel compares in one call. */
const BLOCK = 4096
/** The parts of the scratch space of a thread while it compares: the query in 16 bits; the places and scores of a block; what is added up. */
const PLACES_AT = 2 * MAX_DIMENSIONS
const SCORES_AT = PLACES_AT + 4 * BLOCK
const TOTALS_AT = SCORES_AT + 4 * BLOCK
const SCRATCH_BYTES = TOTALS_AT + 32
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
}

/** Rows of vectors in a memory that threads and kernels share. Parts that were never written take no physical memory. */
export interface RowMemory {
  rows: Int8Array<SharedArrayBuffer>
  /** For each row, 1 / length of its vector. */
  inverses: Float64Array<SharedArrayBuffer>
  /** Undefined where WebAssembly is missing; then no kernel can read the rows. */
  kernelMemory: SharedKernelMemory | undefined
  /** For each scratch space, 1 while a thread has it. */
  scratches: Int32Array<SharedArrayBuffer>
}

/** @param numbers - components of all rows. @param count - maximum number of rows. */
export function rowMemory(numbers: number, count: number): RowMemory {
  const scratches = new Int32Array(new SharedArrayBuffer(4 * SCRATCHES))
  const inversesAt = aligned(ROWS_AT + numbers)
  const pages = Math.ceil((aligned(inversesAt + 8 * count) + SCRATCHES * SCRATCH_BYTES) / PAGE_BYTES)
  const kernelMemory = WebAssembly && new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
  const buffer = kernelMemory?.buffer ?? new SharedArrayBuffer(pages * PAGE_BYTES)
  return {
    rows: new Int8Array(buffer, ROWS_AT, numbers),
    inverses: new Float64Array(buffer, inversesAt, count),
    kernelMemory,
    scratches,
  }
}

function aligned(address: number): number {
  return Math.ceil(address / 16) * 16
}

/** Compiled once; null where WebAssembly has no SIMD. */
let module: object | null | undefined

/** Compares a vector with the rows of a memory, in WebAssembly. */
export class RowScan {
  readonly #memory: RowMemory
  readonly #buffer: SharedArrayBuffer
  readonly #exports: ScanExports

  private constructor(memory: RowMemory, buffer: SharedArrayBuffer, exports: ScanExports) {
    this.#memory = memory
    this.#buffer = buffer
    this.#exports = exports
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
   * @param scores - gets the scores, see {@link Similarities.add}. `scores[0]` gets any.
   * @returns false if too many threads compare at the moment. Then nothing was done.
   */
  run(
    { vector, inverse }: Direction,
    { places, from, to }: ScannedRows,
    scores: Int32Array,
    all: Similarities,
  ): boolean {
    const { inverses, scratches } = this.#memory
    const scratch = scratches.findIndex((_, i) => Atomics.compareExchange(scratches, i, 0, 1) === 0)
    if (scratch < 0) return false
    try {
      const query = aligned(inverses.byteOffset + inverses.byteLength) + scratch * SCRATCH_BYTES
      new Int16Array(this.#buffer, query, vector.length).set(vector)
      const blockPlaces = new Int32Array(this.#buffer, query + PLACES_AT, BLOCK)
      const blockScores = new Int32Array(this.#buffer, query + SCORES_AT, BLOCK)
      const totals = new Float64Array(this.#buffer, query + TOTALS_AT, 3)
      for (let first = from; first < to; first += BLOCK) {
        const block = places.subarray(first, Math.min(first + BLOCK, to))
        blockPlaces.set(block)
        // The kernel compares four rows at once. Those after the last do not take part.
        const count = (block.length + 3) & ~3
        blockPlaces.fill(0, block.length, count)
        this.#exports.scan(
          ROWS_AT + first * vector.length,
          count,
          vector.length,
          query,
          inverse,
          inverses.byteOffset + 8 * first,
          query + PLACES_AT,
          query + SCORES_AT,
          query + TOTALS_AT,
        )
        all.addSums(totals[2]!, totals[0]!, totals[1]!)
        for (let i = 0; i < block.length; i++) scores[block[i]!] = blockScores[i]!
      }
      return true
    } finally {
      Atomics.store(scratches, scratch, 0)
    }
  }
}
