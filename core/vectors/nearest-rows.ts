import type { RowLayout } from './row-layout.ts'
import { type Direction, MAXIMUM_OF, PART_LENGTHS, ROW_BLOCK, type RowScan, type RowScratch } from './row-scan.ts'
import { MIN_SAMPLE, SampleLevels } from './sample.ts'
import { Similarities, UNITS } from './similarities.ts'

/** With fewer rows, comparing all is as fast. Tests have fewer. */
export const MIN_ROWS = 131_072
/** For the sample, rows are looked at from this many levels below the one that it is expected to have. */
const LEVELS_BELOW = 2
/** Number of maxima above which all rows are scored first, so that the rows after them have to be near. */
const FIRST_MAXIMA = 128
/** Number of blocks after which the bounds must have excluded rows. */
const TRIED_BLOCKS = 8
/** Maximum share of rows of which all components are read. Beyond it, comparing all rows is as fast. */
const MAX_SHARE = 0.3
/** What bounds in single precision may be too low by is far less. */
const SLACK = 1e-5

/** A search for the nearest rows. */
export interface RowSearch {
  direction: Direction
  /** Number of rows that may have a vector. */
  rows: number
  /** Minimum number of rows that must be compared. See {@link MIN_ROWS}. */
  minRows: number
  /** Sets the bits of the rows that are compared, and returns how many they are. */
  mark(bits: Uint32Array): number
  /** See `Similarities.least`. */
  minDeviations: number
  /**
   * Gets a row and its score, of all rows with at least the minimum score that may be among the nearest. Returns the least score that further
   * rows must have.
   */
  offer(row: number, score: number): number
  /** Called every few milliseconds. May throw. */
  check(): void
}

/**
 * Offers the nearest rows without reading most components of most rows. The result is that of comparing all rows: a row is left out only if
 * an upper bound of its score is below what the nearest so far require.
 *
 * @returns the similarities; undefined if the bounds exclude too few rows, so that all must be compared. Then some rows may have been offered.
 */
export function nearestRows(scan: RowScan, layout: RowLayout, search: RowSearch): Similarities | undefined {
  const { direction, rows } = search
  return scan.withScratch(direction.vector, scratch => {
    scratch.bits.fill(0, 0, Math.ceil(rows / 32))
    const count = search.mark(scratch.bits)
    return count < search.minRows ? undefined : new NearestRows(scan, layout, search, scratch).find(count)
  })
}

class NearestRows {
  readonly #scan: RowScan
  readonly #search: RowSearch
  readonly #scratch: RowScratch
  /** The number of rows up to a multiple of four. */
  readonly #rows: number
  /** The addresses of the parts of the first row. */
  readonly #parts: readonly [head: number, middle: number, rest: number]
  readonly #layout: RowLayout
  /** The lengths of the query behind the head and behind the middle, as parts of its length, divided by {@link PART_LENGTHS}. */
  readonly #tail: number
  readonly #last: number
  readonly #offered = new Set<number>()
  /** The least score that the next rows must have. */
  #least = 1

  constructor(scan: RowScan, layout: RowLayout, search: RowSearch, scratch: RowScratch) {
    this.#scan = scan
    this.#layout = layout
    this.#search = search
    this.#scratch = scratch
    this.#rows = (search.rows + 3) & ~3
    this.#parts = scan.addressesOf(layout, 0)
    const { vector, inverse } = search.direction
    const [head, middle] = layout.widths
    this.#tail = (inverse * lengthOf(vector.subarray(head))) / PART_LENGTHS
    this.#last = (inverse * lengthOf(vector.subarray(head + middle))) / PART_LENGTHS
  }

  /** @param count - the number of rows that are compared. */
  find(count: number): Similarities | undefined {
    const all = this.#sampled(Math.max(0, Math.floor(Math.log2(count / MIN_SAMPLE)) - LEVELS_BELOW))
    if (!all) return undefined
    all.addCount(count)
    this.#least = Math.max(1, Math.ceil(all.least(this.#search.minDeviations)))
    this.#bound()
    this.#offerFirst()
    let read = 0
    for (let first = 0; first < this.#rows; first += ROW_BLOCK) {
      read += this.#offerBlock(first)
      if (first === TRIED_BLOCKS * ROW_BLOCK && read > MAX_SHARE * first) return undefined
      this.#search.check()
    }
    return all
  }

  /** Adds up the scores of the sample. Undefined if it has rows of a lower level than `from`, as it may if many vectors are equal. */
  #sampled(from: number): Similarities | undefined {
    const { levels } = this.#scan.memory
    const { bits, list } = this.#scratch
    const sample: number[] = []
    const counted = new SampleLevels()
    for (let first = 0; first < this.#rows; first += ROW_BLOCK) {
      const size = (Math.min(ROW_BLOCK, this.#rows - first) + 15) & ~15
      const found = this.#scan.kernel.sample(levels.byteOffset, bits.byteOffset, first, size, from, list.byteOffset)
      for (let i = 0; i < found; i++) {
        const row = list[i]!
        sample.push(row)
        counted.add(levels[row]!)
      }
    }
    const { least } = counted
    if (least < from) return undefined
    const all = new Similarities()
    const sampled = sample.filter(row => levels[row]! >= least)
    for (let at = 0; at < sampled.length; at += ROW_BLOCK) {
      const part = sampled.slice(at, at + ROW_BLOCK)
      list.set(part)
      const scores = this.#score(part.length)
      for (let i = 0; i < part.length; i++) all.add(scores[i]!)
    }
    return all
  }

  /** Computes a bound for each row. */
  #bound(): void {
    const { query, bits, bounds, maxima } = this.#scratch
    const { lengths } = this.#scan.memory
    const size = 16 * ROW_BLOCK
    for (let first = 0; first < this.#rows; first += size) {
      this.#scan.kernel.bounds(
        this.#parts[0] + first * this.#layout.widths[0],
        Math.min(size, this.#rows - first),
        query,
        this.#search.direction.inverse,
        this.#tail,
        lengths.byteOffset + 8 * first,
        bits.byteOffset + first / 8,
        bounds + 4 * first,
        maxima.byteOffset + (4 * first) / MAXIMUM_OF,
      )
      this.#search.check()
    }
  }

  /** Offers the rows with the highest bounds first. They raise the score that all other rows must reach. Does nothing if there are few rows. */
  #offerFirst(): void {
    const { maxima, list } = this.#scratch
    const used = maxima.subarray(0, Math.ceil(this.#rows / MAXIMUM_OF))
    const bound = Float32Array.from(used).sort().at(-FIRST_MAXIMA) ?? Number.POSITIVE_INFINITY
    for (const [i, most] of used.entries()) {
      if (most < bound) continue
      const found = this.#narrow(this.#collect(i * MAXIMUM_OF, MAXIMUM_OF, bound), Number.NEGATIVE_INFINITY)
      const scores = this.#score(found)
      for (let at = 0; at < found; at++) {
        this.#offered.add(list[at]!)
        this.#offer(list[at]!, scores[at]!)
      }
    }
  }

  /** Offers the other rows of a block that may be near enough. Returns the number of rows of which all components were read. */
  #offerBlock(first: number): number {
    const { list, maxima } = this.#scratch
    const bound = this.#leastBound
    const [from, to] = [first / MAXIMUM_OF, Math.ceil(Math.min(first + ROW_BLOCK, this.#rows) / MAXIMUM_OF)]
    if (maxima.subarray(from, to).every(most => most < bound)) return 0
    const kept = this.#narrow(this.#collect(first, ROW_BLOCK, bound), bound)
    const scores = this.#score(kept)
    for (let i = 0; i < kept; i++)
      if (scores[i]! >= this.#least && !this.#offered.has(list[i]!)) this.#offer(list[i]!, scores[i]!)
    return kept
  }

  #offer(row: number, score: number): void {
    if (score >= this.#least) this.#least = Math.max(this.#least, this.#search.offer(row, score))
  }

  /** The bound that a row has at least if its score is at least {@link #least}. A score is a rounded number. */
  get #leastBound(): number {
    return (this.#least - 0.5) / UNITS - SLACK
  }

  /** Lists rows by their bounds, with these. Returns their number. */
  #collect(first: number, most: number, least: number): number {
    const { bounds, list } = this.#scratch
    return this.#scan.kernel.collect(bounds, first, Math.min(most, this.#rows - first), least, list.byteOffset)
  }

  /** Makes the list one of rows, without those whose bound by two parts is lower. Returns their number. */
  #narrow(count: number, least: number): number {
    const { query, list } = this.#scratch
    const { lengths } = this.#scan.memory
    return this.#scan.kernel.narrow(
      list.byteOffset,
      count,
      this.#parts[1],
      query + 2 * this.#layout.widths[0],
      this.#search.direction.inverse,
      this.#tail,
      this.#last,
      lengths.byteOffset,
      least,
      list.byteOffset,
    )
  }

  /** Scores the rows of the list. */
  #score(count: number): Int32Array {
    const { query, list, scores } = this.#scratch
    const { inverses } = this.#scan.memory
    const { direction } = this.#search
    this.#scan.kernel.score(
      list.byteOffset,
      count,
      ...this.#parts,
      this.#layout.widths[2],
      query,
      direction.inverse,
      inverses.byteOffset,
      scores.byteOffset,
    )
    return scores
  }
}

function lengthOf(part: Int8Array): number {
  return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0))
}
