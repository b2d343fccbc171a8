import { release } from '../../bytes/memory.ts'
import type { TermPostings } from './postings-codec.ts'

/** Collects the postings of one term from several sources, in arrays that are reused for the next term. */
export class PostingsAccumulator implements TermPostings {
  count = 0
  ordinals: Uint32Array<ArrayBuffer> = new Uint32Array(1024)
  frequencies: Uint32Array<ArrayBuffer> = new Uint32Array(1024)
  positionLengths: Uint32Array<ArrayBuffer> = new Uint32Array(1024)
  positions: Uint8Array<ArrayBuffer> = new Uint8Array(4096)
  /** Number of bytes of `positions` in use. */
  positionBytes = 0
  /** The result of {@link sorted}, reused for the next term. */
  #ordered: PostingsAccumulator | undefined

  clear(): void {
    this.count = 0
    this.positionBytes = 0
  }

  /**
   * Empties the accumulator and makes room for the given numbers of postings and bytes of positions. Unlike
   * {@link reserve}, it allocates no more than that, because the longest lists are large.
   */
  begin(postings: number, positionBytes: number): void {
    this.clear()
    if (postings > this.ordinals.length) {
      for (const array of [this.ordinals, this.frequencies, this.positionLengths]) release(array)
      this.ordinals = new Uint32Array(postings)
      this.frequencies = new Uint32Array(postings)
      this.positionLengths = new Uint32Array(postings)
    }
    if (positionBytes > this.positions.length) {
      release(this.positions)
      this.positions = new Uint8Array(positionBytes)
    }
  }

  /** Makes room for more postings and bytes of positions, and keeps the present ones. */
  reserve(postings: number, positionBytes: number): void {
    const length = this.count + postings
    if (length > this.ordinals.length) {
      this.ordinals = grown(this.ordinals, new Uint32Array(length * 2))
      this.frequencies = grown(this.frequencies, new Uint32Array(length * 2))
      this.positionLengths = grown(this.positionLengths, new Uint32Array(length * 2))
    }
    const bytes = this.positionBytes + positionBytes
    if (bytes > this.positions.length) this.positions = grown(this.positions, new Uint8Array(bytes * 2))
  }

  /**
   * The postings in ascending order of their ordinals. Valid until the next call.
   *
   * @throws TypeError - two postings are of one capture.
   */
  sorted(): TermPostings {
    if (ascends(this)) return this
    const sorted = this.#inOrder(mergeRuns(this.ordinals, this.count))
    if (!ascends(sorted)) throw new TypeError('a capture has one term twice')
    return sorted
  }

  /** Copies the postings in the given order of their indexes. */
  #inOrder(order: Uint32Array): TermPostings {
    const { count, positionLengths, positions } = this
    if (count > starts.length) starts = new Uint32Array(2 * count)
    for (let i = 0, at = 0; i < count; at += positionLengths[i++]!) starts[i] = at
    this.#ordered ??= new PostingsAccumulator()
    const ordered = this.#ordered
    ordered.begin(count, this.positionBytes)
    ordered.count = count
    let at = 0
    for (let i = 0; i < count; i++) {
      const from = order[i]!
      const length = positionLengths[from]!
      ordered.ordinals[i] = this.ordinals[from]!
      ordered.frequencies[i] = this.frequencies[from]!
      ordered.positionLengths[i] = length
      const start = starts[from]!
      for (let byte = start; byte < start + length; byte++) ordered.positions[at++] = positions[byte]!
    }
    ordered.positionBytes = at
    return ordered
  }
}

/** Memory of {@link PostingsAccumulator.sorted}, reused for the next term. */
let starts = new Uint32Array(1024)
let indexes = new Uint32Array(1024)
let merged = new Uint32Array(1024)

/**
 * Returns the indexes of the first `count` values in ascending order of the values. The values are a few ascending
 * runs, one from each source, and the runs are merged in pairs. The result is valid until the next call.
 */
function mergeRuns(values: Uint32Array, count: number): Uint32Array {
  if (count > indexes.length) {
    indexes = new Uint32Array(2 * count)
    merged = new Uint32Array(2 * count)
  }
  let ends: number[] = []
  for (let i = 0; i < count; i++) {
    indexes[i] = i
    if (i > 0 && values[i]! <= values[i - 1]!) ends.push(i)
  }
  for (ends.push(count); ends.length > 1; ) {
    const pairEnds: number[] = []
    let at = 0
    for (let run = 0; run < ends.length; run += 2) {
      const middle = ends[run]!
      const end = ends[run + 1] ?? middle
      for (let left = at, right = middle; at < end; at++) {
        const takesLeft = right === end || (left < middle && values[indexes[left]!]! <= values[indexes[right]!]!)
        merged[at] = takesLeft ? indexes[left++]! : indexes[right++]!
      }
      pairEnds.push(end)
    }
    ;[indexes, merged] = [merged, indexes]
    ends = pairEnds
  }
  return indexes
}

function ascends({ count, ordinals }: TermPostings): boolean {
  for (let i = 1; i < count; i++) if (ordinals[i]! <= ordinals[i - 1]!) return false
  return true
}

function grown<A extends Uint32Array | Uint8Array>(from: A, into: A): A {
  into.set(from)
  release(from)
  return into
}
