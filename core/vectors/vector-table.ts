import { inverseLength, product } from './quantized.ts'
import { type Direction, type RowMemory, RowScan, rowMemory } from './row-scan.ts'

/**
 * Default size of the vectors in memory, one byte for each component: a million vectors of 384 dimensions, which a search compares in less
 * than a tenth of a second of one core.
 */
const VECTOR_BYTES = 384 * 1024 * 1024
/** Maximum of the size. A kernel addresses 4 GiB, in which the rest of a table has room, too. */
export const MAX_VECTOR_BYTES = 3 * 1024 * 1024 * 1024
/** Maximum number of captures, however short their vectors are. The sum of the squares of this many similarities is exact. */
const MAX_CAPTURES = 2 * 1024 * 1024
/** Number of slots of the hash table: a power of two, at least twice the number of rows. */
const SLOTS = 2 * MAX_CAPTURES

/** The memory of a table, shared by all threads. Parts that were never written take no physical memory. */
export interface TableMemory extends RowMemory {
  /**
   * `[0]` is the number of dimensions, 0 before the first vector. `[1]` is the number of used rows, each of which was written before it
   * counts.
   */
  header: Int32Array<SharedArrayBuffer>
  /** For each row, the capture of its vector. 0: none. */
  captureOf: Int32Array<SharedArrayBuffer>
  /**
   * A hash table with open addressing and linear probing. Each slot has a capture (0: empty) and the row of its vector.
   */
  captureIds: Int32Array<SharedArrayBuffer>
  rowOf: Int32Array<SharedArrayBuffer>
}

/** @param bytes - the size of the vectors. */
export function tableMemory(bytes: number = VECTOR_BYTES): TableMemory {
  return {
    ...rowMemory(bytes, MAX_CAPTURES),
    header: new Int32Array(new SharedArrayBuffer(8)),
    captureOf: new Int32Array(new SharedArrayBuffer(4 * MAX_CAPTURES)),
    captureIds: new Int32Array(new SharedArrayBuffer(4 * SLOTS)),
    rowOf: new Int32Array(new SharedArrayBuffer(4 * SLOTS)),
  }
}

/**
 * The vectors of one model in memory, by capture, as many as fit. One thread writes while others read. A vector is
 * written before its slot, and vectors are deleted only when no thread reads.
 */
export class VectorTable {
  readonly memory: TableMemory
  /** Rows of deleted vectors, for reuse by the writing thread. */
  readonly #free: number[] = []
  /** Null where there is no kernel. Made when it is first needed. */
  #kernel: RowScan | null | undefined

  constructor(memory: TableMemory = tableMemory()) {
    this.memory = memory
  }

  /** Number of dimensions; 0 before the first vector. */
  get dimensions(): number {
    return this.memory.header[0]!
  }

  /** Returns how many vectors with this number of dimensions fit. */
  capacity(dimensions: number): number {
    return Math.min(MAX_CAPTURES, Math.floor(this.memory.rows.length / dimensions))
  }

  /** True if the table may lack vectors because there was no room. Missing vectors must be read from the store. */
  isFull(dimensions: number): boolean {
    return this.memory.header[1]! >= this.capacity(dimensions)
  }

  /** Adds a vector, unless there is no room for it. */
  set(captureId: number, vector: Int8Array): void {
    const { header, rows, inverses, captureOf, captureIds, rowOf } = this.memory
    if (header[0] === 0) header[0] = vector.length
    const slot = this.#slotOf(captureId)
    const isKnown = captureIds[slot] === captureId
    const row = isKnown ? rowOf[slot]! : (this.#free.pop() ?? header[1]!)
    if (row >= this.capacity(header[0]!)) return
    rows.set(vector, row * header[0]!)
    inverses[row] = inverseLength(vector)
    if (row === header[1]) Atomics.store(header, 1, row + 1)
    Atomics.store(captureOf, row, captureId)
    rowOf[slot] = row
    Atomics.store(captureIds, slot, captureId)
  }

  /** Deletes a vector. No thread may be reading. */
  delete(captureId: number): void {
    const { captureOf, captureIds, rowOf } = this.memory
    let gap = this.#slotOf(captureId)
    if (captureIds[gap] !== captureId) return
    this.#free.push(rowOf[gap]!)
    captureOf[rowOf[gap]!] = 0
    // Closes the gap, so that no lookup ends at it too early. A later entry moves into the gap if the first slot for its
    // capture is at or before the gap.
    for (let at = next(gap); captureIds[at] !== 0; at = next(at)) {
      const home = homeOf(captureIds[at]!)
      if (distance(home, at) < distance(gap, at)) continue
      captureIds[gap] = captureIds[at]!
      rowOf[gap] = rowOf[at]!
      gap = at
    }
    captureIds[gap] = 0
  }

  clear(): void {
    this.#free.length = 0
    // An empty table is left alone, because writing would allocate its memory.
    if (this.dimensions === 0) return
    this.memory.header.fill(0)
    this.memory.captureIds.fill(0)
    this.memory.captureOf.fill(0)
  }

  /** Returns the cosine of the query's vector and the vector of a capture; undefined if the table lacks the latter. */
  cosine({ vector, inverse }: Direction, captureId: number): number | undefined {
    const { header, rows, inverses, captureIds, rowOf } = this.memory
    const slot = this.#slotOf(captureId)
    if (captureIds[slot] !== captureId || header[0] !== vector.length) return undefined
    const row = rowOf[slot]!
    return product(vector, rows, row * header[0]) * inverse * inverses[row]!
  }

  /** The kernel that compares a vector with all rows. Undefined where there is none. */
  get kernel(): RowScan | undefined {
    if (this.#kernel === undefined) this.#kernel = RowScan.open(this.memory) ?? null
    return this.#kernel ?? undefined
  }

  /** Returns the number of rows in use; 0 if vectors have another number of dimensions. Some rows may have no capture. */
  rowCount(dimensions: number): number {
    const { header } = this.memory
    const count = Atomics.load(header, 1)
    return header[0] === dimensions ? count : 0
  }

  /** Returns the row of a capture, -1 if it has none. @param likely - the row that it probably has. */
  rowOf(captureId: number, likely: number): number {
    const { captureOf, captureIds, rowOf } = this.memory
    if (captureOf[likely] === captureId) return likely
    const slot = this.#slotOf(captureId)
    return captureIds[slot] === captureId ? rowOf[slot]! : -1
  }

  /** Returns the slot of a capture or, if it has none, the empty slot where it belongs. */
  #slotOf(captureId: number): number {
    const { captureIds } = this.memory
    let slot = homeOf(captureId)
    while (captureIds[slot] !== 0 && captureIds[slot] !== captureId) slot = next(slot)
    return slot
  }
}

/** Returns the first slot for a capture. Fibonacci hashing spreads consecutive numbers. */
function homeOf(captureId: number): number {
  return (Math.imul(captureId, 0x9e3779b1) >>> 0) & (SLOTS - 1)
}

function next(slot: number): number {
  return (slot + 1) & (SLOTS - 1)
}

function distance(from: number, to: number): number {
  return (to - from) & (SLOTS - 1)
}
