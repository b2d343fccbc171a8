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
 * Compares the vectors of many captures with that of a query: first all captures are added, then they are compared at once. The order in
 * which they are added does not matter, but in that of the rows of the table it is fastest.
 */
export class Comparison {
  readonly #cosine: (captureId: number) => number | undefined
  readonly #compared: Compared | undefined
  readonly #all = new Similarities()
  /** For each place, the score of its capture. */
  readonly #scores: Int32Array
  /** For each row, the place of its capture; 0 if it was not added. Rows that the table gets later are not among them. */
  readonly #places: Int32Array
  /** The row that the next capture probably has. A look-up in the hash table takes three times as long as the rest. */
  #likely = 0

  /**
   * @param places - the highest place of a capture.
   * @param cosine - returns the cosine of a capture that has no row in the table; undefined if it has no vector.
   * @param compared - undefined if every capture is compared by `cosine`.
   */
  constructor(places: number, cosine: (captureId: number) => number | undefined, compared?: Compared) {
    this.#cosine = cosine
    this.#compared = compared
    this.#scores = new Int32Array(places + 1)
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
    if (cosine !== undefined) this.#scores[place] = this.#all.add(cosine)
  }

  /**
   * Compares the captures. To be called once.
   *
   * @returns their scores by place, 0 where there is no capture with a vector, and the similarities of all.
   */
  run(): { scores: Int32Array; all: Similarities } {
    const compared = { scores: this.#scores, all: this.#all }
    const { table, direction } = this.#compared ?? {}
    if (!table || !direction || table.kernel?.run(direction, this.#places, this.#scores, this.#all)) return compared
    const { vector, inverse } = direction
    const { rows, inverses } = table.memory
    for (const [row, place] of this.#places.entries())
      if (place > 0)
        this.#scores[place] = this.#all.add(product(vector, rows, row * vector.length) * inverse * inverses[row]!)
    return compared
  }
}
