import { VarintCursor } from '../bytes/varint-cursor.ts'
import { PostingsAccumulator } from '../segment/postings/postings-accumulator.ts'
import type { SegmentWriter } from '../segment/segment-writer.ts'
import { compareTerms, firstBytesOf, PREFIX_BYTES } from '../text/terms/term-bytes.ts'
import type { GroupPostings } from './analyzed-group.ts'

/** The captures to write. For each ordinal: the group of the capture, and its index in the group. */
export interface Placement {
  groups: readonly GroupPostings[]
  groupOf: Uint32Array
  indexOf: Uint32Array
}

/**
 * Merges the postings of several groups and writes them, term by term. A capture has several ordinals if the same
 * content became current more than once.
 */
export function invert(placement: Placement, writer: SegmentWriter): void {
  const heap = new SourceHeap(sourcesOf(placement))
  const gathered = new PostingsAccumulator()
  for (let source = heap.first; source; source = heap.first) {
    const { terms } = source
    const start = source.termStart
    const end = source.termEnd
    const { prefix } = source
    gathered.clear()
    for (
      let same: Source | undefined = source;
      same && same.prefix === prefix && same.compareTo(terms, start, end) === 0;
      same = heap.first
    ) {
      gather(same, gathered)
      heap.advance()
    }
    if (gathered.count > 0) writer.write(terms, start, end, gathered.sorted())
  }
}

/** Marks a capture of a group that is not written. */
const NOT_WRITTEN = -1

/** A cursor over the terms of one group. */
class Source {
  readonly group: GroupPostings
  readonly terms: Uint8Array
  /** Sources with an equal term are merged in ascending order of rank. */
  readonly rank: number
  /** The ordinal of each capture of the group, or {@link NOT_WRITTEN}. */
  readonly ordinals: Int32Array
  /** The range of the current term in `terms`. */
  termStart = 0
  termEnd = 0
  prefix = 0
  /** The byte range of the current term's postings. */
  from = 0
  to = 0
  #at = -1

  constructor(group: GroupPostings, rank: number) {
    this.group = group
    this.terms = group.terms
    this.rank = rank
    this.ordinals = new Int32Array(group.captures).fill(NOT_WRITTEN)
  }

  /** Advances to the next term. Returns false at the end. */
  next(): boolean {
    const { termEnds, postingEnds } = this.group
    const at = ++this.#at
    if (at >= termEnds.length) return false
    this.termStart = this.termEnd
    this.termEnd = termEnds[at]!
    this.from = this.to
    this.to = postingEnds[at]!
    this.prefix = firstBytesOf(this.terms, this.termStart, this.termEnd)
    return true
  }

  /** Compares the current term with another term that begins with the same {@link PREFIX_BYTES} bytes, see {@link compareTerms}. */
  compareTo(terms: Uint8Array, start: number, end: number): number {
    const length = this.termEnd - this.termStart
    // No term contains a zero byte. So if a term ends within the prefix, equal prefixes mean equal terms.
    if (length < PREFIX_BYTES) return length - (end - start)
    return compareTerms(this.terms, this.termStart + PREFIX_BYTES, this.termEnd, terms, start + PREFIX_BYTES, end)
  }

  precedes(other: Source): boolean {
    if (this.prefix !== other.prefix) return this.prefix < other.prefix
    const difference = this.compareTo(other.terms, other.termStart, other.termEnd)
    return difference === 0 ? this.rank < other.rank : difference < 0
  }
}

/** Returns the sources of all groups. A group has as many as the capture with the most ordinals in it has ordinals. */
function sourcesOf({ groups, groupOf, indexOf }: Placement): Source[] {
  const byGroup: Source[][] = groups.map(() => [])
  let rank = 0
  groupOf.forEach((group, ordinal) => {
    const index = indexOf[ordinal]!
    const sources = byGroup[group]!
    let source = sources.find(({ ordinals }) => ordinals[index] === NOT_WRITTEN)
    if (!source) {
      source = new Source(groups[group]!, rank++)
      sources.push(source)
    }
    source.ordinals[index] = ordinal
  })
  return byGroup.flat().filter(source => source.next())
}

/** A heap of sources, ordered by their current term. */
class SourceHeap {
  readonly #heap: Source[]

  constructor(sources: Source[]) {
    this.#heap = sources.sort((a, b) => (a.precedes(b) ? -1 : 1))
  }

  get first(): Source | undefined {
    return this.#heap[0]
  }

  /** Moves the first source to its next term. */
  advance(): void {
    const heap = this.#heap
    let moving = heap[0]!
    if (!moving.next()) {
      const last = heap.pop() as Source
      if (heap.length === 0 || last === moving) return
      moving = last
    }
    let at = 0
    for (;;) {
      let least = 2 * at + 1
      if (least >= heap.length) break
      if (least + 1 < heap.length && heap[least + 1]!.precedes(heap[least]!)) least++
      if (moving.precedes(heap[least]!)) break
      heap[at] = heap[least]!
      at = least
    }
    heap[at] = moving
  }
}

/** The minimum size of a posting. */
const MIN_POSTING_BYTES = 3

const varints = new VarintCursor(new Uint8Array(0))

/** Adds the postings of a source's current term. Leaves out captures that are not written. */
function gather({ group: { postings }, ordinals, from, to }: Source, into: PostingsAccumulator): void {
  into.reserve(Math.ceil((to - from) / MIN_POSTING_BYTES), to - from)
  const { positions } = into
  let { count, positionBytes } = into
  let index = -1
  varints.bytes = postings
  varints.at = from
  while (varints.at < to) {
    index += varints.next() + 1
    const frequency = varints.next()
    const length = varints.next()
    let { at } = varints
    varints.at = at + length
    const ordinal = ordinals[index]!
    if (ordinal === NOT_WRITTEN) continue
    into.ordinals[count] = ordinal
    into.frequencies[count] = frequency + 1
    into.positionLengths[count++] = length
    for (const end = at + length; at < end; ) positions[positionBytes++] = postings[at++]!
  }
  into.count = count
  into.positionBytes = positionBytes
}
