import type { Direction, ScannedRows } from './row-scan.ts'
import { SampleLevels } from './sample.ts'
import { Similarities, scoreOf } from './similarities.ts'
import type { LeveledCosine, VectorTable } from './vector-table.ts'

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
  readonly #compare: (captureId: number) => LeveledCosine | undefined
  readonly #compared: Compared | undefined
  /** The similarities of the captures that have a vector. */
  readonly all = new Similarities()
  /** For each place, the score of its capture; 0 where there is no capture with a vector. */
  readonly scores: Int32Array
  /** For each row, the place of its capture; 0 if it was not added. Rows that the table gets later are not among them. */
  readonly #places: Int32Array
  /** The row that the next capture probably has. A look-up in the hash table takes three times as long as the rest. */
  #likely = 0
  /** The captures that have no row in the table: the place and the level of each. */
  readonly #withoutRow: { place: number; level: number }[] = []
  /** The least level of the sample. Undefined until the first rows are compared. */
  #level: number | undefined
  /** The first row that was not compared yet. */
  #next = 0

  /**
   * @param places - the highest place of a capture.
   * @param compare - compares a capture that has no row in the table; undefined if it has no vector.
   * @param compared - undefined if every capture is compared by `compare`.
   */
  constructor(places: number, compare: (captureId: number) => LeveledCosine | undefined, compared?: Compared) {
    this.#compare = compare
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
    const found = this.#compare(captureId)
    if (!found) return
    this.scores[place] = scoreOf(found.cosine)
    this.#withoutRow.push({ place, level: found.level })
  }

  /**
   * Compares the next captures that were added.
   *
   * @param most - maximum number of rows. Default: all.
   * @returns true when all are compared. Then {@link scores} and {@link all} are complete.
   */
  compare(most = Number.POSITIVE_INFINITY): boolean {
    this.#level ??= this.#sampleLevel()
    const { table, direction } = this.#compared ?? {}
    const from = this.#next
    const to = Math.min(from + most, this.#places.length)
    if (!table || !direction || from === to) return from === this.#places.length
    const rows = { places: this.#places, from, to, level: this.#level }
    const isDone = table.kernel?.run(direction, table.layout, rows, this.scores, this.all)
    if (!isDone) this.#compareSlowly({ table, direction }, rows)
    this.#next = to
    return to === this.#places.length
  }

  /** Returns the least level of the sample, and adds up the captures of the sample that have no row. */
  #sampleLevel(): number {
    const counted = new SampleLevels()
    const levels = this.#compared?.table.memory.levels
    if (levels)
      for (let row = 0; row < this.#places.length; row++) if (this.#places[row] !== 0) counted.add(levels[row]!)
    for (const { level } of this.#withoutRow) counted.add(level)
    const { least } = counted
    this.all.addCount(this.#withoutRow.length)
    for (const { place, level } of this.#withoutRow) if (level >= least) this.all.add(this.scores[place]!)
    return least
  }

  /** Compares rows without the kernel. */
  #compareSlowly({ table, direction }: Compared, { places, from, to, level }: ScannedRows): void {
    const { levels } = table.memory
    for (let row = from; row < to; row++) {
      const place = places[row]!
      if (place === 0) continue
      const score = scoreOf(table.cosineOfRow(direction, row))
      this.scores[place] = score
      this.all.addCount(1)
      if (levels[row]! >= level) this.all.add(score)
    }
  }
}
