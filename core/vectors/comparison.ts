import { product } from './quantized.ts'
import type { Direction } from './row-scan.ts'
import { Similarities } from './similarities.ts'
import type { VectorTable } from './vector-table.ts'

/** Rows of vectors, and the vector of a query that is compared with them. */
interface Compared {
  table: VectorTable
  direction: Direction
}

/**
 * Compares the vectors of many captures with that of a query: first all captures are added, then they are compared. The order in which
 * they are added does not matter, but in that of the rows of the table it is fastest.
 */
export class Comparison {
  readonly #cosine: (captureId: number) => number | undefined
  readonly #compared: Compared | undefined
  /** The similarities of the captures that have a vector. */
  readonly all = new Similarities()
  /** For each place, the score of its capture; 0 where there is no capture with a vector. */
  readonly scores: Int32Array
  /** For each row, the place of its capture; 0 if it was not added. Rows that the table gets later are not among them. */
  readonly #places: Int32Array
  /** The row that the next capture probably has. A look-up in the hash table takes three times as long as the rest. */
  #likely = 0
  /** The first row that was not compared yet. */
  #next = 0

  /**
   * @param places - the highest place of a capture.
   * @param cosine - returns the cosine of a capture that has no row in the table; undefined if it has no vector.
   * @param compared - undefined if every capture is compared by `cosine`.
   */
  constructor(places: number, cosine: (captureId: number) => number | undefined, compared?: Compared) {
    this.#cosine = cosine
    this.#compared = compared
    this.scores = new Int32Array(places + 1)
    this.#places = new Int32Array(compared ? compared.table.rowCount(compared.direction.vector.length) : 0)
  }

  /** Adds a capture. No capture may be added twice. @param place - where its score will be, 1 or higher. */
  add(captureId: number, place: number): void {
    const row = this.#compared?.table.rowOf(captureId, this.#likely) ?? -1
    this.#likely = row + 1
    if (row >= 0 && row < this.#places.length) {
      this.#places[row] = place
      return
    }
    const cosine = this.#cosine(captureId)
    if (cosine !== undefined) this.scores[place] = this.all.add(cosine)
  }

  /**
   * Compares the next captures that were added.
   *
   * @param most - maximum number of rows. Default: all.
   * @returns true when all are compared. Then {@link scores} and {@link all} are complete.
   */
  compare(most = Number.POSITIVE_INFINITY): boolean {
    const { table, direction } = this.#compared ?? {}
    if (!table || !direction) return true
    const from = this.#next
    const to = Math.min(from + most, this.#places.length)
    const isDone = table.kernel?.run(direction, { places: this.#places, from, to }, this.scores, this.all)
    if (!isDone) this.#compareSlowly({ table, direction }, from, to)
    this.#next = to
    return to === this.#places.length
  }

  /** Compares rows without the kernel. */
  #compareSlowly({ table, direction: { vector, inverse } }: Compared, from: number, to: number): void {
    const { rows, inverses } = table.memory
    for (let row = from; row < to; row++) {
      const place = this.#places[row]!
      if (place === 0) continue
      this.scores[place] = this.all.add(product(vector, rows, row * vector.length) * inverse * inverses[row]!)
    }
  }
}
