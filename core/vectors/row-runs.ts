import { partitionPoint } from '../bytes/binary-search.ts'

/** Captures of a segment, in the order of their ordinals. */
export interface SegmentCaptures {
  captureIds: Uint32Array
  /** Number of captures that were acquired by the instant. */
  ordinalEnd: number
  /** Calls a function with the ordinals of the captures that had ended by the instant, ascending. */
  eachEnded(visit: (ordinal: number) => void): void
}

/**
 * The rows of the captures of a segment, in runs: consecutive captures that have consecutive rows. Most segments have few, because captures
 * get rows in the order in which they are added.
 */
export class RowRuns {
  /** For each run its first ordinal, first row and length; ascending by ordinal. */
  readonly #runs: Int32Array
  /** Where each run is in {@link #runs}, ascending by row. */
  readonly #byRow: Int32Array
  /** True if all captures have a row. */
  readonly isComplete: boolean

  /** @param rowOf - returns the row of a capture, -1 if it has none. */
  constructor(captureIds: Uint32Array, rowOf: (captureId: number, likely: number) => number) {
    const runs: number[] = []
    let withRow = 0
    for (let ordinal = 0, likely = 0, end = -1; ordinal < captureIds.length; ordinal++) {
      const row = rowOf(captureIds[ordinal]!, likely)
      if (row >= 0) {
        withRow++
        if (end === ordinal && row === likely) runs[runs.length - 1]!++
        else runs.push(ordinal, row, 1)
        end = ordinal + 1
      }
      likely = row + 1
    }
    this.#runs = Int32Array.from(runs)
    this.#byRow = Int32Array.from({ length: runs.length / 3 }, (_, i) => 3 * i).sort(
      (a, b) => runs[a + 1]! - runs[b + 1]!,
    )
    this.isComplete = withRow === captureIds.length
  }

  /** Sets the bits of the rows whose captures stand. Returns their number. */
  mark({ ordinalEnd, eachEnded }: SegmentCaptures, bits: Uint32Array): number {
    const runs = this.#runs
    let count = 0
    for (let at = 0; at < runs.length && runs[at]! < ordinalEnd; at += 3) {
      const length = Math.min(runs[at + 2]!, ordinalEnd - runs[at]!)
      setBits(bits, runs[at + 1]!, runs[at + 1]! + length)
      count += length
    }
    let at = 0
    eachEnded(ordinal => {
      while (at < runs.length && runs[at]! + runs[at + 2]! <= ordinal) at += 3
      if (at === runs.length || runs[at]! > ordinal) return
      const row = runs[at + 1]! + ordinal - runs[at]!
      bits[row >>> 5]! &= ~(1 << (row & 31))
      count--
    })
    return count
  }

  /** Returns the ordinal of the capture that has a row; -1 if none of the segment has it. */
  ordinalAt(row: number): number {
    const [runs, byRow] = [this.#runs, this.#byRow]
    const at = byRow[partitionPoint(byRow.length, i => runs[byRow[i]! + 1]! <= row) - 1] ?? -1
    if (at < 0) return -1
    const past = row - runs[at + 1]!
    return past < runs[at + 2]! ? runs[at]! + past : -1
  }
}

/** Sets the bits from `from` to before `to`. */
function setBits(bits: Uint32Array, from: number, to: number): void {
  const [first, last] = [from >>> 5, (to - 1) >>> 5]
  const [head, tail] = [-1 << (from & 31), -1 >>> (31 - ((to - 1) & 31))]
  if (first === last) {
    bits[first]! |= head & tail
    return
  }
  bits[first]! |= head
  bits.fill(0xffffffff, first + 1, last)
  bits[last]! |= tail
}
