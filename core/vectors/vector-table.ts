import { inverseLength, product } from './quantized.ts'

/**
 * Maximum number of vector components in memory: 64 MiB. It also determines the size up to which every capture of an index is compared with a
 * query. So it is part of the ranking profile and never changes.
 */
export const TABLE_NUMBERS = 64 * 1024 * 1024
/** Maximum number of captures, whatever the size of their vectors. */
const MOST_CAPTURES = 1024 * 1024
/** Number of slots of the hash table of the rows. It is a power of two, and at most half of the slots are used. */
const SLOTS = 2 * MOST_CAPTURES

/** The memory of a table, which all threads share. Memory pages that were never written use no memory. */
export interface TableMemory {
  /** `[0]`: number of dimensions, 0 before the first vector. `[1]`: number of used rows. */
  header: Int32Array<SharedArrayBuffer>
  rows: Int8Array<SharedArrayBuffer>
  /** For each row, 1 / length of its vector. */
  inverses: Float64Array<SharedArrayBuffer>
  /** For each slot, its capture (0: empty) and the row of its vector. Open addressing with linear probing. */
  captureIds: Int32Array<SharedArrayBuffer>
  rowOf: Int32Array<SharedArrayBuffer>
}

export function tableMemory(numbers: number = TABLE_NUMBERS): TableMemory {
  return {
    header: new Int32Array(new SharedArrayBuffer(8)),
    rows: new Int8Array(new SharedArrayBuffer(numbers)),
    inverses: new Float64Array(new SharedArrayBuffer(8 * MOST_CAPTURES)),
    captureIds: new Int32Array(new SharedArrayBuffer(4 * SLOTS)),
    rowOf: new Int32Array(new SharedArrayBuffer(4 * SLOTS)),
  }
}

/** The vector of a query, and 1 / its length. */
export interface Direction {
  vector: Int8Array
  inverse: number
}

/**
 * The vectors of one model, by capture, as many as there is room for. One thread writes while others may read. A vector is written before
 * its slot refers to it, and vectors are deleted only while no thread reads.
 */
export class VectorTable {
  readonly memory: TableMemory
  /** Rows of deleted vectors. Only the writing thread uses it. */
  readonly #free: number[] = []

  constructor(memory: TableMemory = tableMemory()) {
    this.memory = memory
  }

  /** 0 before the first vector. */
  get dimensions(): number {
    return this.memory.header[0]!
  }

  /** Returns the maximum number of captures whose vectors have a number of dimensions. */
  capacity(dimensions: number): number {
    return Math.min(MOST_CAPTURES, Math.floor(this.memory.rows.length / dimensions))
  }

  /** True if vectors may have been left out because there was no room. Then only the store shows whether a capture has one. */
  isFull(dimensions: number): boolean {
    return this.memory.header[1]! >= this.capacity(dimensions)
  }

  /** Adds a vector, unless there is no room for it. */
  set(captureId: number, vector: Int8Array): void {
    const { header, rows, inverses, captureIds, rowOf } = this.memory
    if (header[0] === 0) header[0] = vector.length
    const slot = this.#slotOf(captureId)
    const isKnown = captureIds[slot] === captureId
    const row = isKnown ? rowOf[slot]! : (this.#free.pop() ?? header[1]!)
    if (row >= this.capacity(header[0]!)) return
    if (row === header[1]) header[1]!++
    rows.set(vector, row * header[0]!)
    inverses[row] = inverseLength(vector)
    rowOf[slot] = row
    Atomics.store(captureIds, slot, captureId)
  }

  /** Deletes a vector. No thread may be reading. */
  delete(captureId: number): void {
    const { captureIds, rowOf } = this.memory
    let gap = this.#slotOf(captureId)
    if (captureIds[gap] !== captureId) return
    this.#free.push(rowOf[gap]!)
    // Later entries that belong at or before the gap move into it, so that no lookup stops too early.
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
    // Memory that was never written stays unused.
    if (this.dimensions === 0) return
    this.memory.header.fill(0)
    this.memory.captureIds.fill(0)
  }

  /** Returns the cosine with a capture's vector; undefined if the table does not have it. */
  cosine({ vector, inverse }: Direction, captureId: number): number | undefined {
    const { header, rows, inverses, captureIds, rowOf } = this.memory
    const slot = this.#slotOf(captureId)
    if (captureIds[slot] !== captureId || header[0] !== vector.length) return undefined
    const row = rowOf[slot]!
    return product(vector, rows, row * header[0]) * inverse * inverses[row]!
  }

  /** Returns the slot of a capture, or the empty slot where it would be. */
  #slotOf(captureId: number): number {
    const { captureIds } = this.memory
    let slot = homeOf(captureId)
    while (captureIds[slot] !== 0 && captureIds[slot] !== captureId) slot = next(slot)
    return slot
  }
}

/** Returns the first slot to look in. Fibonacci hashing spreads consecutive capture numbers. */
function homeOf(captureId: number): number {
  return (Math.imul(captureId, 0x9e3779b1) >>> 0) & (SLOTS - 1)
}

function next(slot: number): number {
  return (slot + 1) & (SLOTS - 1)
}

function distance(from: number, to: number): number {
  return (to - from) & (SLOTS - 1)
}
