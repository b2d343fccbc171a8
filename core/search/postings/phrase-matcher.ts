import { mayFollow, nextWordHash } from '../../segment/positions/next-word-signature.ts'
import type { PositionBuffer, PositionList } from '../../segment/positions/positions-codec.ts'
import { rankingModel } from '../../segment/ranking-model.ts'
import type { Segment, SegmentTerm } from '../../segment/segment.ts'
import type { Phrase } from '../query/scoring-terms.ts'
import type { ListProbe, ListProbes } from './posting-cursor.ts'

/** Opens a phrase on a segment; `undefined` when the segment lacks one of its terms. */
export function openPhrase(segment: Segment, phrase: Phrase, probes: ListProbes): PhraseMatcher | undefined {
  const terms: SegmentTerm[] = []
  for (const { term } of phrase) {
    const found = segment.term(term)
    if (!found) return undefined
    terms.push(found)
  }
  return new PhraseMatcher(segment, phrase, terms, probes)
}

/** A word of a phrase with another right behind it. */
export interface FollowedWord {
  probe: ListProbe
  positions: PositionList
  /** {@link nextWordHash} of the word behind. */
  hash: number
}

/** Finds a phrase in captures. */
export class PhraseMatcher {
  readonly probes: ListProbe[]
  /** How many of the starts found last are in the title. */
  inTitle = 0
  readonly #segment: Segment
  readonly #terms: SegmentTerm[]
  readonly #indexes: Uint32Array
  readonly #offsets: number[]
  /** Per term the hash of the next one, where that must stand right behind it. */
  readonly #followers: (number | undefined)[]
  #positions: PositionList[] | undefined
  readonly #starts: PositionBuffer = { count: 0, values: new Uint32Array(64) }
  readonly #others: PositionBuffer = { count: 0, values: new Uint32Array(64) }

  constructor(segment: Segment, phrase: Phrase, terms: SegmentTerm[], probes: ListProbes) {
    this.#terms = terms
    this.#segment = segment
    this.#indexes = new Uint32Array(terms.length)
    this.probes = terms.map(term => probes.of(term.list))
    this.#offsets = phrase.map(({ offset }) => offset)
    this.#followers = phrase.map(({ offset }, t) => {
      const next = phrase[t + 1]
      if (next?.offset !== offset + 1) return undefined
      const bytes = Buffer.from(next.term)
      return nextWordHash(bytes, 0, bytes.length)
    })
  }

  /** What the signatures of its words can be asked for. */
  followedWords(): FollowedWord[] {
    if (this.#followers.every(hash => hash === undefined)) return []
    this.#positions ??= this.#openPositions()
    const positions = this.#positions
    return this.#followers.flatMap((hash, t) =>
      hash === undefined ? [] : [{ probe: this.probes[t], positions: positions[t], hash }],
    )
  }

  matches(ordinal: number): boolean {
    const indexes = this.#indexes
    if (!this.#isInLists(ordinal)) return false
    return indexes.length === 1 || this.#readStarts().count > 0
  }

  /**
   * Where the phrase begins in a capture, ascending, valid until the next call; the first {@link inTitle} are in its
   * title.
   */
  startsIn(ordinal: number): PositionBuffer {
    if (!this.#isInLists(ordinal)) {
      this.#starts.count = 0
      this.inTitle = 0
      return this.#starts
    }
    return this.#readStarts()
  }

  /** Words from the first of the phrase to its last. */
  get span(): number {
    return this.#offsets[this.#offsets.length - 1]
  }

  #openPositions(): PositionList[] {
    return this.#terms.map(({ entry }) => this.#segment.positions(entry))
  }

  #isInLists(ordinal: number): boolean {
    const indexes = this.#indexes
    for (let t = 0; t < indexes.length; t++) {
      const index = this.probes[t].find(ordinal)
      if (index < 0) return false
      indexes[t] = index
    }
    return true
  }

  /** Whether the signatures of the capture found in the lists leave it open that the words follow one another. */
  #mayBeInARow(positions: PositionList[]): boolean {
    for (let t = 0; t < positions.length; t++) {
      const hash = this.#followers[t]
      if (hash === undefined) continue
      const probe = this.probes[t]
      if (!mayFollow(positions[t].signature(this.#indexes[t]), hash, () => probe.frequency())) return false
    }
    return true
  }

  /** For the capture found in the lists. */
  #readStarts(): PositionBuffer {
    const indexes = this.#indexes
    this.#positions ??= this.#openPositions()
    if (!this.#mayBeInARow(this.#positions)) {
      this.#starts.count = 0
      this.inTitle = 0
      return this.#starts
    }
    const starts = this.#positions[0].positions(indexes[0], this.#starts)
    const titled = titleOccurrences(this.probes[0].frequency(), starts.count)
    const lastInTitle = titled > 0 ? starts.values[titled - 1] : -1
    for (let t = 1; t < indexes.length && starts.count > 0; t++)
      keepFollowed(starts, this.#positions[t].positions(indexes[t], this.#others), this.#offsets[t])
    // No phrase runs from the title into the text: positions are left free between them.
    let inTitle = 0
    while (inTitle < starts.count && starts.values[inTitle] <= lastInTitle) inTitle++
    this.inTitle = inTitle
    return starts
  }
}

/**
 * How often a term stands in the title, which has the first positions: an occurrence there counts for more in the
 * weighted frequency, and it is the only difference between that and the number of positions.
 */
export function titleOccurrences(frequency: number, positions: number): number {
  return (frequency - positions) / (rankingModel.titleWeight - 1)
}

/** Keeps the starts that have one of `others` exactly `offset` behind them. */
function keepFollowed(starts: PositionBuffer, others: PositionBuffer, offset: number): void {
  let kept = 0
  let at = 0
  for (let i = 0; i < starts.count; i++) {
    const wanted = starts.values[i] + offset
    while (at < others.count && others.values[at] < wanted) at++
    if (at < others.count && others.values[at] === wanted) starts.values[kept++] = starts.values[i]
  }
  starts.count = kept
}
