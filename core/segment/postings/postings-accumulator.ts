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
   * The postings in ascending order of their ordinals.
   *
   * @throws TypeError - two postings are of one capture.
   */
  sorted(): TermPostings {
    if (ascends(this)) return this
    const sorted = this.#sort()
    if (!ascends(sorted)) throw new TypeError('a capture has one term twice')
    return sorted
  }

  #sort(): TermPostings {
    const { count } = this
    // Ordinal and index in one number, so that the typed array sorts without a comparison function.
    const keys = new Float64Array(count)
    for (let i = 0; i < count; i++) keys[i] = this.ordinals[i]! * count + i
    keys.sort()
    const starts = new Uint32Array(count)
    for (let i = 1; i < count; i++) starts[i] = starts[i - 1]! + this.positionLengths[i - 1]!
    const ordered = {
      count,
      ordinals: new Uint32Array(count),
      frequencies: new Uint32Array(count),
      positionLengths: new Uint32Array(count),
      positions: new Uint8Array(this.positionBytes),
    }
    let at = 0
    for (let i = 0; i < count; i++) {
      const from = keys[i]! % count
      ordered.ordinals[i] = this.ordinals[from]!
      ordered.frequencies[i] = this.frequencies[from]!
      ordered.positionLengths[i] = this.positionLengths[from]!
      const start = starts[from]!
      for (let byte = start; byte < start + this.positionLengths[from]!; byte++)
        ordered.positions[at++] = this.positions[byte]!
    }
    return ordered
  }
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
