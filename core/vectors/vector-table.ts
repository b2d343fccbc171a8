import { inverseLength, product } from './quantized.ts'

/**
 * Numbers that are kept in memory at most: 64 MiB. It also settles in how large an index a query is held against every
 * capture, so it is part of the ranking profile and never changes.
 */
export const TABLE_NUMBERS = 64 * 1024 * 1024
/** And captures at most, however small their vectors. */
const MOST_CAPTURES = 1024 * 1024
/** Places of the index over the rows; a power of two, so that at most half are taken. */
const PLACES = 2 * MOST_CAPTURES

/** The memory of a table, which all threads that read it have in common. Untouched pages of it cost nothing. */
export interface TableMemory {
  /** Dimensions, 0 before the first vector; rows taken. */
  header: Int32Array<SharedArrayBuffer>
  rows: Int8Array<SharedArrayBuffer>
  /** Per row 1 / length. */
  inverses: Float64Array<SharedArrayBuffer>
  /** Per place the capture that has it, 0 for none, and its row. Open addressing, linear. */
  captureIds: Int32Array<SharedArrayBuffer>
  rowOf: Int32Array<SharedArrayBuffer>
}

export function tableMemory(numbers: number = TABLE_NUMBERS): TableMemory {
  return {
    header: new Int32Array(new SharedArrayBuffer(8)),
    rows: new Int8Array(new SharedArrayBuffer(numbers)),
    inverses: new Float64Array(new SharedArrayBuffer(8 * MOST_CAPTURES)),
    captureIds: new Int32Array(new SharedArrayBuffer(4 * PLACES)),
    rowOf: new Int32Array(new SharedArrayBuffer(4 * PLACES)),
  }
}

/** A vector of the query, and what the table needs to compare it. */
export interface Direction {
  vector: Int8Array
  inverse: number
}

/**
 * The vectors of one model by capture, as many as there is room for. One thread writes; others may read meanwhile, since a
 * vector is there before its place tells of it, and nothing is taken out while anybody reads.
 */
export class VectorTable {
  readonly memory: TableMemory
  /** Rows that were given back, of the writing thread. */
  readonly #free: number[] = []

  constructor(memory: TableMemory = tableMemory()) {
    this.memory = memory
  }

  /** 0 before the first vector. */
  get dimensions(): number {
    return this.memory.header[0]!
  }

  /** Captures that there is room for with vectors of so many dimensions. */
  capacity(dimensions: number): number {
    return Math.min(MOST_CAPTURES, Math.floor(this.memory.rows.length / dimensions))
  }

  /** Whether some vectors may be left out for want of room: then only the store tells whether a capture has one. */
  isFull(dimensions: number): boolean {
    return this.memory.header[1]! >= this.capacity(dimensions)
  }

  /** Enters a vector; one that there is no room for is left out. */
  set(captureId: number, vector: Int8Array): void {
    const { header, rows, inverses, captureIds, rowOf } = this.memory
    if (header[0] === 0) header[0] = vector.length
    const place = this.#placeOf(captureId)
    const isKnown = captureIds[place] === captureId
    const row = isKnown ? rowOf[place]! : (this.#free.pop() ?? header[1]!)
    if (row >= this.capacity(header[0]!)) return
    if (row === header[1]) header[1]!++
    rows.set(vector, row * header[0]!)
    inverses[row] = inverseLength(vector)
    rowOf[place] = row
    Atomics.store(captureIds, place, captureId)
  }

  /** Takes a vector out. Nobody may be reading. */
  delete(captureId: number): void {
    const { captureIds, rowOf } = this.memory
    let gap = this.#placeOf(captureId)
    if (captureIds[gap] !== captureId) return
    this.#free.push(rowOf[gap]!)
    // What stands behind the gap because its own place was taken moves up, so that no search ends too early.
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
    // Memory that was never used is left untouched.
    if (this.dimensions === 0) return
    this.memory.header.fill(0)
    this.memory.captureIds.fill(0)
  }

  /** The cosine with a capture's vector; `undefined` when the table has none. */
  cosine({ vector, inverse }: Direction, captureId: number): number | undefined {
    const { header, rows, inverses, captureIds, rowOf } = this.memory
    const place = this.#placeOf(captureId)
    if (captureIds[place] !== captureId || header[0] !== vector.length) return undefined
    const row = rowOf[place]!
    return product(vector, rows, row * header[0]) * inverse * inverses[row]!
  }

  /** Where a capture is, or would be. */
  #placeOf(captureId: number): number {
    const { captureIds } = this.memory
    let place = homeOf(captureId)
    while (captureIds[place] !== 0 && captureIds[place] !== captureId) place = next(place)
    return place
  }
}

/** Fibonacci hashing: captures that follow one another lie apart. */
function homeOf(captureId: number): number {
  return (Math.imul(captureId, 0x9e3779b1) >>> 0) & (PLACES - 1)
}

function next(place: number): number {
  return (place + 1) & (PLACES - 1)
}

function distance(from: number, to: number): number {
  return (to - from) & (PLACES - 1)
}
