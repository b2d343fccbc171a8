import type { TermPostings } from '../segment/postings-codec.ts'
import type { SegmentWriter } from '../segment/segment-writer.ts'
import type { AnalyzedCapture, AnalyzedGroup } from './analyzed-group.ts'

/** A capture's place in its group. */
export interface Analyzed {
  group: AnalyzedGroup
  capture: AnalyzedCapture
}

/**
 * Merges the postings of captures, which stand inverted in their groups, and writes them.
 *
 * @param captures - in ordinal order. One may stand there twice: content that was seen again.
 */
export function invert(captures: readonly Analyzed[], writer: SegmentWriter): void {
  const heap = new SourceHeap(sourcesOf(captures))
  const gathered = new GatheredPostings()
  for (let source = heap.first; source; source = heap.first) {
    const { term } = source
    gathered.clear()
    for (let same: Source | undefined = source; same && same.term === term; same = heap.first) {
      gathered.append(same)
      heap.advance()
    }
    if (gathered.count > 0) writer.add(term, gathered.sorted())
  }
}

/** Stands for a capture that is not written. */
const NOT_WRITTEN = -1

/** A group whose terms are taken one after another, with the ordinals of those captures that are written. */
class Source {
  readonly group: AnalyzedGroup
  /** By index in the group. */
  readonly ordinals: Int32Array
  readonly #terms: string[]
  #at = 0
  term: string
  /** Postings of the term in hand, and where their positions begin. */
  from = 0
  to: number
  positionsAt = 0

  constructor(group: AnalyzedGroup) {
    this.group = group
    this.ordinals = new Int32Array(group.captures.length).fill(NOT_WRITTEN)
    this.#terms = group.terms.split('\n')
    this.term = this.#terms[0]
    this.to = group.postingEnds[0]
  }

  /** Goes on to the next term; false at the end. The positions of the term in hand must have been passed. */
  next(): boolean {
    if (++this.#at >= this.group.postingEnds.length) return false
    this.term = this.#terms[this.#at]
    this.from = this.to
    this.to = this.group.postingEnds[this.#at]
    return true
  }
}

/** One source per group, and another where a capture of it is written a second time. */
function sourcesOf(captures: readonly Analyzed[]): Source[] {
  const byGroup = new Map<AnalyzedGroup, Source[]>()
  const indexes = new Map<AnalyzedCapture, number>()
  captures.forEach(({ group, capture }, ordinal) => {
    let sources = byGroup.get(group)
    if (!sources) {
      sources = []
      byGroup.set(group, sources)
      group.captures.forEach((each, index) => {
        indexes.set(each, index)
      })
    }
    const index = indexes.get(capture) as number
    let source = sources.find(({ ordinals }) => ordinals[index] === NOT_WRITTEN)
    if (!source) {
      source = new Source(group)
      sources.push(source)
    }
    source.ordinals[index] = ordinal
  })
  return [...byGroup.values()].flat().filter(({ group }) => group.postingEnds.length > 0)
}

/** Sources by their term in hand, the least on top. */
class SourceHeap {
  readonly #heap: Source[]

  constructor(sources: Source[]) {
    this.#heap = sources.sort((a, b) => (a.term < b.term ? -1 : a.term > b.term ? 1 : 0))
  }

  get first(): Source | undefined {
    return this.#heap[0]
  }

  /** Moves the first source to its next term. */
  advance(): void {
    const heap = this.#heap
    let moving = heap[0]
    if (!moving.next()) {
      const last = heap.pop() as Source
      if (heap.length === 0 || last === moving) return
      moving = last
    }
    let at = 0
    for (;;) {
      let least = 2 * at + 1
      if (least >= heap.length) break
      if (least + 1 < heap.length && heap[least + 1].term < heap[least].term) least++
      if (heap[least].term >= moving.term) break
      heap[at] = heap[least]
      at = least
    }
    heap[at] = moving
  }
}

/** The postings of one term, from all sources. */
class GatheredPostings implements TermPostings {
  count = 0
  ordinals = new Uint32Array(1024)
  frequencies = new Uint32Array(1024)
  positionLengths = new Uint32Array(1024)
  positions = new Uint8Array(4096)
  #positionBytes = 0
  #ascends = true

  clear(): void {
    this.count = 0
    this.#positionBytes = 0
    this.#ascends = true
  }

  append(source: Source): void {
    const { group, ordinals, from, to } = source
    let read = source.positionsAt
    this.#reserve(to - from)
    for (let p = from; p < to; p++) {
      const length = group.positionLengths[p]
      const ordinal = ordinals[group.captureIndexes[p]]
      if (ordinal !== NOT_WRITTEN) {
        this.#reservePositions(length)
        if (this.count > 0 && ordinal < this.ordinals[this.count - 1]) this.#ascends = false
        this.ordinals[this.count] = ordinal
        this.frequencies[this.count] = group.frequencies[p]
        this.positionLengths[this.count++] = length
        for (let i = 0; i < length; i++) this.positions[this.#positionBytes++] = group.positions[read + i]
      }
      read += length
    }
    source.positionsAt = read
  }

  /** These postings by ordinal. */
  sorted(): TermPostings {
    if (this.#ascends) return this
    const { count } = this
    // Ordinal and place in one number: typed arrays of numbers sort without a comparison function.
    const keys = Float64Array.from({ length: count }, (_, i) => this.ordinals[i] * count + i).sort()
    const starts = new Uint32Array(count)
    for (let i = 1; i < count; i++) starts[i] = starts[i - 1] + this.positionLengths[i - 1]
    const ordered = {
      count,
      ordinals: new Uint32Array(count),
      frequencies: new Uint32Array(count),
      positionLengths: new Uint32Array(count),
      positions: new Uint8Array(this.#positionBytes),
    }
    let at = 0
    keys.forEach((key, i) => {
      const from = key % count
      ordered.ordinals[i] = this.ordinals[from]
      ordered.frequencies[i] = this.frequencies[from]
      ordered.positionLengths[i] = this.positionLengths[from]
      for (let byte = 0; byte < this.positionLengths[from]; byte++)
        ordered.positions[at++] = this.positions[starts[from] + byte]
    })
    return ordered
  }

  #reserve(postings: number): void {
    const needed = this.count + postings
    if (needed <= this.ordinals.length) return
    this.ordinals = grown(this.ordinals, new Uint32Array(needed * 2))
    this.frequencies = grown(this.frequencies, new Uint32Array(needed * 2))
    this.positionLengths = grown(this.positionLengths, new Uint32Array(needed * 2))
  }

  #reservePositions(bytes: number): void {
    const needed = this.#positionBytes + bytes
    if (needed > this.positions.length) this.positions = grown(this.positions, new Uint8Array(needed * 2))
  }
}

function grown<A extends Uint32Array | Uint8Array>(from: A, into: A): A {
  into.set(from)
  return into
}
