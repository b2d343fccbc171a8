import type { AdjacentWord, RequiredPhrase } from '../../kernels/topk-query.ts'
import type { PostingCursor, PostingCursors } from '../../postings/posting-cursor.ts'
import { mayFollow, nextWordHash } from '../../segment/positions/next-word-signature.ts'
import { hasEnding, positionOf } from '../../segment/positions/place.ts'
import type { PositionBuffer, PositionList } from '../../segment/positions/positions-codec.ts'
import type { SegmentTerm } from '../../segment/posting-cache.ts'
import { rankingModel } from '../../segment/ranking-model.ts'
import type { Segment } from '../../segment/segment.ts'
import type { Phrase } from '../query/scoring-terms.ts'

const none = new Uint32Array(0)
/** The positions of each term after the first one in its turn. Shared by all matchers. */
const others: PositionBuffer = { count: 0, values: new Uint32Array(64) }

/** Opens a phrase on a segment; returns `undefined` if the segment lacks one of its terms. */
export function openPhrase(segment: Segment, phrase: Phrase, cursors: PostingCursors): PhraseMatcher | undefined {
  const terms: SegmentTerm[] = []
  for (const { term } of phrase) {
    const found = segment.term(term)
    if (!found) return undefined
    terms.push(found)
  }
  return new PhraseMatcher(segment, phrase, terms, cursors)
}

/** Tests which captures of a segment contain a phrase. */
export class PhraseMatcher {
  readonly cursors: PostingCursor[]
  /** Number of starts in the title, among those that {@link startsIn} returned last. */
  inTitle = 0
  readonly #segment: Segment
  readonly #terms: SegmentTerm[]
  /**
   * The cursors of the phrase, each once, with the number of times that the phrase has its term. A query may repeat a word a thousand times.
   */
  readonly #distinct: readonly (readonly [cursor: PostingCursor, count: number])[]
  /** For each term the index, in its posting list, of the capture that is being tested. */
  readonly #indexes: number[]
  readonly #offsets: number[]
  /** For each term the set of endings that it may have. Undefined if it may have any. */
  readonly #endings: (number | undefined)[]
  /** For each term the hash of the next term, if that must follow immediately. Undefined otherwise. */
  readonly #nextHashes: (number | undefined)[]
  /** The next-word signatures of each term. Set for terms whose signatures a caller of {@link adjacentWords} has read. */
  readonly #signatures: (Uint8Array | undefined)[] = []
  readonly #positions: (PositionList | undefined)[] = []
  readonly #starts: PositionBuffer = { count: 0, values: none }

  constructor(segment: Segment, phrase: Phrase, terms: SegmentTerm[], cursors: PostingCursors) {
    this.#terms = terms
    this.#segment = segment
    this.#indexes = terms.map(() => -1)
    this.cursors = terms.map(term => cursors.of(term.list))
    const counts = new Map<PostingCursor, number>()
    for (const cursor of this.cursors) counts.set(cursor, (counts.get(cursor) ?? 0) + 1)
    this.#distinct = [...counts]
    this.#offsets = phrase.map(({ offset }) => offset)
    this.#endings = phrase.map(({ endings }) => endings)
    this.#nextHashes = phrase.map(({ offset }, t) => {
      const next = phrase[t + 1]
      if (next?.offset !== offset + 1) return undefined
      const bytes = Buffer.from(next.term)
      return nextWordHash(bytes, 0, bytes.length)
    })
  }

  /** The words of the phrase that can be tested by next-word signatures, without reading positions. Each pair is returned once. */
  adjacentWords(): AdjacentWord[] {
    const hashes = new Map<PostingCursor, Set<number>>(this.#distinct.map(([cursor]) => [cursor, new Set()]))
    return this.#nextHashes.flatMap((hash, t) => {
      const known = hashes.get(this.cursors[t]!)!
      if (hash === undefined || known.has(hash)) return []
      known.add(hash)
      const signatures = () => (this.#signatures[t] ??= this.#segment.signatures(this.#terms[t]!))
      return [{ list: this.cursors[t]!.list, signatures, hash }]
    })
  }

  /** The phrase, for the kernel. */
  words(): RequiredPhrase {
    return this.cursors.map(({ list }, t) => ({
      list,
      offset: t === 0 ? 0 : this.#offsets[t]!,
      endings: this.#endings[t],
      positions: () => this.#positionsOf(t),
    }))
  }

  /**
   * The positions at which the phrase begins in a capture, ascending. The first {@link inTitle} are in the title. Valid
   * until the next call.
   */
  startsIn(ordinal: number): PositionBuffer {
    if (!this.#isInLists(ordinal)) {
      this.#starts.count = 0
      this.inTitle = 0
      return this.#starts
    }
    return this.#readStarts()
  }

  /** True if a capture contains the phrase. */
  isIn(ordinal: number): boolean {
    const [endings] = this.#endings
    if (this.#terms.length > 1 || endings === undefined) return this.startsIn(ordinal).count > 0
    return this.#isInLists(ordinal) && this.#positionsOf(0).hasEnding(this.#indexes[0]!, endings)
  }

  /** Number of positions from the first word of the phrase to its last. */
  get span(): number {
    return this.#offsets[this.#offsets.length - 1]!
  }

  /** Moves all cursors to a capture. Returns false if the capture has a term less often than the phrase has it. */
  #isInLists(ordinal: number): boolean {
    for (const [cursor, count] of this.#distinct) {
      if (cursor.advance(ordinal) < 0) return false
      // The weighted frequency is never less than the number of occurrences.
      if (count > 1 && cursor.frequency() < count) return false
    }
    const indexes = this.#indexes
    for (let t = 0; t < indexes.length; t++) indexes[t] = this.cursors[t]!.advance(ordinal)
    return true
  }

  /** False if the next-word signatures rule out that the words are adjacent in the current capture. */
  #mayBeAdjacent(): boolean {
    for (let t = 0; t < this.#terms.length; t++) {
      const hash = this.#nextHashes[t]
      if (hash === undefined) continue
      const cursor = this.cursors[t]!
      const index = this.#indexes[t]!
      const signature = this.#signatures[t]?.[index] ?? this.#positionsOf(t).signature(index)
      if (!mayFollow(signature, hash, () => cursor.frequency())) return false
    }
    return true
  }

  #positionsOf(t: number): PositionList {
    this.#positions[t] ??= this.#segment.positions(this.#terms[t]!.entry)
    return this.#positions[t]
  }

  /** Reads where the phrase begins in the current capture. */
  #readStarts(): PositionBuffer {
    const indexes = this.#indexes
    if (!this.#mayBeAdjacent()) {
      this.#starts.count = 0
      this.inTitle = 0
      return this.#starts
    }
    const starts = this.#positionsOf(0).places(indexes[0]!, this.#starts)
    const firstInTitle = titleOccurrences(this.cursors[0]!.frequency(), starts.count)
    const lastInTitle = firstInTitle > 0 ? positionOf(starts.values[firstInTitle - 1]!) : -1
    toPositions(starts, this.#endings[0])
    for (let t = 1; t < indexes.length && starts.count > 0; t++) {
      const places = this.#positionsOf(t).places(indexes[t]!, others)
      toPositions(places, this.#endings[t])
      keepFollowed(starts, places, this.#offsets[t]!)
    }
    // A phrase cannot span title and text, because the index leaves a gap of positions between them.
    let inTitle = 0
    while (inTitle < starts.count && starts.values[inTitle]! <= lastInTitle) inTitle++
    this.inTitle = inTitle
    return starts
  }
}

/**
 * Number of occurrences of a term in the title, which has the first positions. The weighted frequency counts an occurrence
 * there {@link rankingModel.titleWeight} times, which is its only difference from the number of positions.
 */
export function titleOccurrences(frequency: number, positions: number): number {
  return (frequency - positions) / (rankingModel.titleWeight - 1)
}

/**
 * Replaces places by their positions. A place is a position with the ending of the word there.
 *
 * @param endings - a set of endings: places with other endings are left out. Undefined: any ending.
 */
function toPositions(places: PositionBuffer, endings: number | undefined): void {
  const { values, count } = places
  let kept = 0
  for (let i = 0; i < count; i++) {
    const place = values[i]!
    if (endings === undefined || hasEnding(place, endings)) values[kept++] = positionOf(place)
  }
  places.count = kept
}

/** Keeps the starts that have one of `others` exactly `offset` positions after them. */
function keepFollowed(starts: PositionBuffer, others: PositionBuffer, offset: number): void {
  let kept = 0
  let at = 0
  for (let i = 0; i < starts.count; i++) {
    const wanted = starts.values[i]! + offset
    while (at < others.count && others.values[at]! < wanted) at++
    if (at < others.count && others.values[at] === wanted) starts.values[kept++] = starts.values[i]!
  }
  starts.count = kept
}
