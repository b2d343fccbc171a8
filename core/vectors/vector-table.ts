import { MIN_ROWS } from './nearest-rows.ts'
import { inverseLength, product } from './quantized.ts'
import { RowLayout } from './row-layout.ts'
import { RowRuns } from './row-runs.ts'
import { type Direction, PART_LENGTHS, type RowMemory, RowScan, rowMemory } from './row-scan.ts'
import { levelOf } from './sample.ts'

/**
 * Default size of the vectors in memory, one byte for each component: a million vectors of 384 dimensions, which a search compares in at most
 * a tenth of a second of one core.
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
  /** See {@link MIN_ROWS}. It is here so that all threads have the same. */
  minRows: number
  /**
   * `[0]` is the number of dimensions, 0 before the first vector. `[1]` is the number of used rows, each of which was written before it
   * counts. `[2]` counts the vectors that were added, and `[3]` those that were deleted.
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
    minRows: MIN_ROWS,
    header: new Int32Array(new SharedArrayBuffer(16)),
    captureOf: new Int32Array(new SharedArrayBuffer(4 * MAX_CAPTURES)),
    captureIds: new Int32Array(new SharedArrayBuffer(4 * SLOTS)),
    rowOf: new Int32Array(new SharedArrayBuffer(4 * SLOTS)),
  }
}

/** The cosine of a query and a capture, and the sampling level of the vector of the capture. */
export interface LeveledCosine {
  cosine: number
  level: number
}

/** If bounds exclude too few vectors in this many searches in a row, they are not computed in most of the next searches. */
const MAX_FAILURES = 3
/** One search in this many then tries again. */
const TRIED_EVERY = 32

/** Decides whether a search computes bounds: with the vectors of some models they exclude too few, and only cost time. */
class Trials {
  #failures = 0
  #searches = 0

  /** True if the next search shall compute bounds. */
  isDue(): boolean {
    return this.#failures < MAX_FAILURES || ++this.#searches % TRIED_EVERY === 0
  }

  /** @param isSuccess - true if the bounds of a search excluded enough. */
  add(isSuccess: boolean): void {
    this.#failures = isSuccess ? 0 : this.#failures + 1
  }
}

/** The rows of the captures of a segment, and the counts of added and deleted vectors as of which they are known. */
interface KeptRuns {
  runs: RowRuns
  added: number
  deleted: number
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
  #layout: RowLayout | undefined
  /** Whether bounds exclude most vectors from the searches of this thread. */
  readonly trials = new Trials()
  readonly #runs = new WeakMap<Uint32Array, KeptRuns>()

  constructor(memory: TableMemory = tableMemory()) {
    this.memory = memory
  }

  /** Number of dimensions; 0 before the first vector. */
  get dimensions(): number {
    return this.memory.header[0]!
  }

  /** Returns how many vectors with this number of dimensions fit. */
  capacity(dimensions: number): number {
    return Math.min(MAX_CAPTURES, Math.floor(this.memory.room / dimensions))
  }

  /** True if the table may lack vectors because there was no room. Missing vectors must be read from the store. */
  isFull(dimensions: number): boolean {
    return this.memory.header[1]! >= this.capacity(dimensions)
  }

  /** Adds a vector, unless there is no room for it. */
  set(captureId: number, vector: Int8Array): void {
    const { header, captureOf, captureIds, rowOf } = this.memory
    if (header[0] === 0) header[0] = vector.length
    const slot = this.#slotOf(captureId)
    const isKnown = captureIds[slot] === captureId
    const row = isKnown ? rowOf[slot]! : (this.#free.pop() ?? header[1]!)
    if (row >= this.capacity(header[0]!)) return
    this.#write(row, vector)
    if (row === header[1]) Atomics.store(header, 1, row + 1)
    Atomics.store(captureOf, row, captureId)
    rowOf[slot] = row
    Atomics.store(captureIds, slot, captureId)
    if (!isKnown) Atomics.add(header, 2, 1)
  }

  #write(row: number, vector: Int8Array): void {
    const { rows, inverses, lengths, partLengths, levels } = this.memory
    const { offsets, widths, isDivided } = this.layout
    for (let part = 0, first = 0; part < widths.length; first += widths[part++]!)
      rows.set(vector.subarray(first, first + widths[part]!), offsets[part]! + row * widths[part]!)
    const inverse = inverseLength(vector)
    inverses[row] = inverse
    levels[row] = levelOf(vector)
    if (!isDivided) return
    const rest = widths[0] + widths[1]
    const square = product(vector, vector, rest, rest)
    lengths[2 * row] = inverse
    partLengths[4 * row + 2] = partLength(
      inverse * Math.sqrt(product(vector, vector, widths[0], widths[0], rest) + square),
    )
    partLengths[4 * row + 3] = partLength(inverse * Math.sqrt(square))
  }

  /** Deletes a vector. No thread may be reading. */
  delete(captureId: number): void {
    const { captureOf, captureIds, rowOf } = this.memory
    let gap = this.#slotOf(captureId)
    if (captureIds[gap] !== captureId) return
    Atomics.add(this.memory.header, 3, 1)
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
    this.memory.header.fill(0, 0, 2)
    Atomics.add(this.memory.header, 3, 1)
    this.memory.captureIds.fill(0)
    this.memory.captureOf.fill(0)
  }

  /** Compares the query's vector with the vector of a capture. Undefined if the table lacks the latter. */
  compared(direction: Direction, captureId: number): LeveledCosine | undefined {
    const { header, captureIds, rowOf, levels } = this.memory
    const slot = this.#slotOf(captureId)
    if (captureIds[slot] !== captureId || header[0] !== direction.vector.length) return undefined
    const row = rowOf[slot]!
    return { cosine: this.cosineOfRow(direction, row), level: levels[row]! }
  }

  /** Returns the cosine of the query's vector and the vector in a row. */
  cosineOfRow({ vector, inverse }: Direction, row: number): number {
    const { rows, inverses } = this.memory
    const { offsets, widths } = this.layout
    let sum = 0
    for (let part = 0, first = 0; part < widths.length; first += widths[part++]!)
      sum += product(vector, rows, offsets[part]! + row * widths[part]!, first, first + widths[part]!)
    return sum * inverse * inverses[row]!
  }

  /** Where the components of rows are. There must be a vector. */
  get layout(): RowLayout {
    const { dimensions } = this
    const [head, middle, rest] = this.#layout?.widths ?? [0, 0, 0]
    if (!this.#layout || head + middle + rest !== dimensions)
      this.#layout = new RowLayout(dimensions, this.capacity(dimensions))
    return this.#layout
  }

  /** Returns the rows of the captures of a segment. @param captureIds - its column, which is always the same array. */
  runsOf(captureIds: Uint32Array): RowRuns {
    const { header } = this.memory
    const [added, deleted] = [Atomics.load(header, 2), Atomics.load(header, 3)]
    const kept = this.#runs.get(captureIds)
    if (kept && kept.deleted === deleted && (kept.runs.isComplete || kept.added === added)) return kept.runs
    const runs = new RowRuns(captureIds, (captureId, likely) => this.rowOf(captureId, likely))
    this.#runs.set(captureIds, { runs, added, deleted })
    return runs
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

/** Returns the length of a part of a vector as an integer. @param length - as a part of the whole length. */
function partLength(length: number): number {
  return Math.min(PART_LENGTHS, Math.ceil(length * PART_LENGTHS))
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
