import { type SharedKernelMemory, WebAssembly } from '../bytes/web-assembly.ts'
import { compileKernel } from '../kernels/load-kernel.ts'
import { MAX_DIMENSIONS } from './quantized.ts'
import { base64 } from './row-products.generated.ts'

/** The export of `row-products.c`. */
interface ProductsExports {
  products(rows: number, count: number, dimensions: number, query: number, out: number): void
}

const PAGE_BYTES = 65_536
/** The address of the first row. */
const ROWS_AT = 1024
/** Number of rows that the kernel multiplies in one call. */
const BLOCK = 4096
/** Scratch space of a thread while it multiplies: the query in 16 bits, and the products of a block. */
const SCRATCH_BYTES = 2 * MAX_DIMENSIONS + 4 * BLOCK
/** Number of threads that can multiply at the same time. */
const SCRATCHES = 32

/** Rows of vectors in a memory that threads and kernels share. Parts that were never written take no physical memory. */
export interface RowMemory {
  rows: Int8Array<SharedArrayBuffer>
  /** Undefined where WebAssembly is missing; then no kernel can read the rows. */
  kernelMemory: SharedKernelMemory | undefined
  /** For each scratch space, 1 while a thread has it. */
  scratches: Int32Array<SharedArrayBuffer>
}

/** @param numbers - components of all rows. */
export function rowMemory(numbers: number): RowMemory {
  const scratches = new Int32Array(new SharedArrayBuffer(4 * SCRATCHES))
  const pages = Math.ceil((scratchAt(numbers) + SCRATCHES * SCRATCH_BYTES) / PAGE_BYTES)
  if (!WebAssembly) return { rows: new Int8Array(new SharedArrayBuffer(numbers)), kernelMemory: undefined, scratches }
  const kernelMemory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
  return { rows: new Int8Array(kernelMemory.buffer, ROWS_AT, numbers), kernelMemory, scratches }
}

function scratchAt(numbers: number): number {
  return Math.ceil((ROWS_AT + numbers) / 16) * 16
}

/** Compiled once; null where WebAssembly has no SIMD. */
let module: object | null | undefined

/** Multiplies a vector with all rows of a memory, in WebAssembly. */
export class RowProducts {
  readonly #memory: RowMemory
  readonly #buffer: SharedArrayBuffer
  readonly #exports: ProductsExports

  private constructor(memory: RowMemory, buffer: SharedArrayBuffer, exports: ProductsExports) {
    this.#memory = memory
    this.#buffer = buffer
    this.#exports = exports
  }

  /** Returns undefined where WebAssembly is missing or has no SIMD. */
  static open(memory: RowMemory): RowProducts | undefined {
    const { kernelMemory } = memory
    module ??= compileKernel(base64) ?? null
    if (!WebAssembly || !module || !kernelMemory) return undefined
    const { exports } = new WebAssembly.Instance(module, { env: { memory: kernelMemory } })
    return new RowProducts(memory, kernelMemory.buffer, exports as ProductsExports)
  }

  /**
   * Returns the inner products of a vector and the first rows: exact integers.
   *
   * @param count - of rows, each of as many components as the vector.
   * @returns undefined if too many threads multiply at the moment.
   */
  of(vector: Int8Array, count: number): Int32Array | undefined {
    const { rows, scratches } = this.#memory
    const scratch = scratches.findIndex((_, i) => Atomics.compareExchange(scratches, i, 0, 1) === 0)
    if (scratch < 0) return undefined
    try {
      const query = scratchAt(rows.length) + scratch * SCRATCH_BYTES
      const out = query + 2 * MAX_DIMENSIONS
      new Int16Array(this.#buffer, query, vector.length).set(vector)
      const block = new Int32Array(this.#buffer, out, BLOCK)
      const products = new Int32Array(count)
      for (let from = 0; from < count; from += BLOCK) {
        const size = Math.min(BLOCK, count - from)
        this.#exports.products(ROWS_AT + from * vector.length, size, vector.length, query, out)
        products.set(block.subarray(0, size), from)
      }
      return products
    } finally {
      Atomics.store(scratches, scratch, 0)
    }
  }
}
