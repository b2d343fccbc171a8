import type { PostingCursor } from '../postings/posting-cursor.ts'
import { type Allocation, Arena } from '../segment/arena.ts'
import { publishDay } from '../segment/columns/publish-days.ts'
import type { KernelArray } from '../segment/kept-array.ts'
import type { PositionList } from '../segment/positions/positions-codec.ts'
import type { PostingList } from '../segment/postings/posting-list.ts'
import { WINDOW } from '../segment/postings/window-impacts.ts'
import { impactScale, saturationSlope } from '../segment/ranking-model.ts'
import { impactStep } from './contribution.ts'
import type { AdjacentWord, OpenedQuery, RequiredPhrase, TopKQuery, WeightedList } from './topk-query.ts'

/** Sizes of the structures in layout.h. */
const QUERY_BYTES = 32
const VIEW_BYTES = 80
const USE_BYTES = 24
const ADJACENT_BYTES = 16
const WORD_BYTES = 16
/** A block of positions begins this many bytes after its address in the kernel: before it stands the width of its counts. */
const POSITIONS_HEADER = 16
/** What the kernel takes for "none". */
const NONE = 0xffff_ffff
/** Limits of the kernel. Its sources get them, like the flags, from generate-kernels.ts. */
export const kernelLimits = {
  MAX_K: 16_384,
  MAX_VIEWS: 255,
  MAX_LISTS: 128,
  MAX_PHRASE_WORDS: 64,
  POSITIONS_HEADER,
} as const
/**
 * Flags of a view. `FILLS`: the kernel asks the condition which captures of a window may match. `BOOSTS`: captures may have a boost.
 * `TESTS`: captures must be tested with the condition.
 */
export const viewFlags = { FILLS: 1, BOOSTS: 2, TESTS: 4 } as const

/** A list with next-word signatures leads the intersection if it has less than this many times the postings of the shortest list. */
const LEAD = 3
/** Signatures are read if they take at most this share of the arena. */
const SIGNATURES_SHARE = 1 / 16

/** An adjacent word with the address of its signatures in the arena. */
type PlacedWord = Omit<AdjacentWord, 'signatures'> & { signaturesAt: number }

/** Writes queries into an arena, in the form that the kernel reads: layout.h. */
export class QueryRecord {
  readonly #arena: Arena
  readonly #from: number
  readonly #end: number
  readonly #words: Uint32Array
  readonly #doubles: Float64Array
  /** For each view of the query, the cursors over its required lists. Empty for a view without a condition, or with an exact one. */
  cursors: PostingCursor[][] = []
  /** For each view of the query, the positions of the lists of its phrases, by the number of the list. */
  #positions: (() => PositionList)[][] = []
  /** Where the next structure is written. */
  #at = 0

  /** @param from - the first free byte, divisible by 16. @param end - the end of the room for a query. */
  constructor(arena: Arena, from: number, end: number) {
    this.#arena = arena
    this.#from = from
    this.#end = end
    this.#words = arena.words
    this.#doubles = new Float64Array(arena.memory.buffer)
  }

  /** Writes a query; returns its address, or undefined if the kernel cannot answer it. */
  write({ k, views, averageLength, floor = 0 }: TopKQuery): number | undefined {
    if (k > kernelLimits.MAX_K || views.length > kernelLimits.MAX_VIEWS) return undefined
    this.#at = this.#from + QUERY_BYTES + VIEW_BYTES * views.length
    this.cursors = []
    this.#positions = []
    const slope = saturationSlope(averageLength)
    const viewsAt = this.#from + QUERY_BYTES
    for (let v = 0; v < views.length; v++)
      if (!this.#writeView(viewsAt + VIEW_BYTES * v, views[v]!, averageLength, slope)) return undefined
    const words = this.#words
    words[this.#from / 4] = k
    words[this.#from / 4 + 1] = views.length
    words[this.#from / 4 + 2] = viewsAt
    words[this.#from / 4 + 3] = Math.ceil(this.#at / 16) * 16
    words[this.#from / 4 + 4] = this.#end
    words[this.#from / 4 + 5] = floor
    return this.#from
  }

  #writeView(at: number, view: OpenedQuery, averageLength: number, slope: number): boolean {
    const { segment, from, to, lists, published, condition, boost, onlyScored, instant } = view
    const adjacent = this.#adjacentIn(view)
    const ordered = inOrder(lists, adjacent)
    const windows = Math.floor((to - 1) / WINDOW) + 1
    const usesAt = this.#at
    const adjacentsAt = usesAt + USE_BYTES * ordered.length
    const boundsAt = adjacentsAt + ADJACENT_BYTES * adjacent.length
    const phrases = phrasesIn(view)
    const wordCount = countWords(phrases)
    const wordsAt = boundsAt + 8 * Math.ceil(windows / 2)
    this.#at = wordsAt + WORD_BYTES * wordCount
    if (ordered.length > kernelLimits.MAX_LISTS || this.#at > this.#end) return false
    const useOf = (list: PostingList): number => ordered.findIndex(other => other.list === list)
    const scale = impactScale(averageLength, segment.averageLength)
    const words = this.#words
    for (let i = 0; i < ordered.length; i++) {
      const { list, weight, required } = ordered[i]!
      const address = this.#addressOf(list)
      if (address === undefined) return false
      const use = usesAt + USE_BYTES * i
      words[use / 4] = address
      words[use / 4 + 1] = required ? 1 : 0
      this.#doubles[use / 8 + 1] = weight
      this.#doubles[use / 8 + 2] = impactStep(weight, scale)
    }
    for (let a = 0; a < adjacent.length; a++) {
      const { list, signaturesAt, hash } = adjacent[a]!
      const word = (adjacentsAt + ADJACENT_BYTES * a) / 4
      words[word] = useOf(list)
      words[word + 1] = signaturesAt
      words[word + 2] = hash
    }
    this.#positions.push(wordCount > 0 ? this.#writeWords(wordsAt, phrases, useOf) : [])
    const isTested = condition !== undefined && !(view.isOnlyPhrases && wordCount > 0)
    this.cursors.push(
      isTested && !condition.isExact
        ? ordered.filter(({ required }) => required).map(({ list }) => view.cursors.of(list))
        : [],
    )
    const lengths = segment.narrowLengths()
    const days = published && segment.publishDaysAt(instant)
    const ended = segment.endedBits()
    const lengthsAt = this.#addressOfArray(lengths)
    const daysAt = days ? this.#addressOfArray(days) : 0
    const endedAt = ended ? this.#addressOfArray(ended) : 0
    if (lengthsAt === undefined || daysAt === undefined || endedAt === undefined) return false
    const dayFrom = published ? publishDay(published.from) : 0
    // A window that ends before it begins has no day.
    const daySpan = published ? Math.max(0, publishDay(published.to) - dayFrom + 1) : 0
    const fills = isTested && isSelective(view, ordered[0])
    const { FILLS, BOOSTS, TESTS } = viewFlags
    const flags = (fills ? FILLS : 0) | (boost ? BOOSTS : 0) | (isTested ? TESTS : 0)
    this.#doubles[at / 8] = slope
    const word = at / 4 + 2
    words[word] = from
    words[word + 1] = to
    words[word + 2] = segment.captures
    words[word + 3] = usesAt
    words[word + 4] = ordered.length
    words[word + 5] = adjacentsAt
    words[word + 6] = adjacent.length
    words[word + 7] = lengthsAt
    words[word + 8] = lengths.BYTES_PER_ELEMENT === 4 ? 1 : 0
    words[word + 9] = daysAt
    words[word + 10] = dayFrom
    words[word + 11] = daySpan
    words[word + 12] = flags
    words[word + 13] = onlyScored ? 1 : 0
    words[word + 14] = boundsAt
    words[word + 15] = endedAt
    words[word + 16] = wordsAt
    words[word + 17] = wordCount
    return true
  }

  /** Writes the words of phrases. Returns the positions of their lists, by the number of the list. */
  #writeWords(
    at: number,
    phrases: readonly RequiredPhrase[],
    useOf: (list: PostingList) => number,
  ): (() => PositionList)[] {
    const words = this.#words
    const opened: (() => PositionList)[] = []
    let to = at / 4
    for (const phrase of phrases) {
      for (const { list, offset, endings, positions } of phrase) {
        const use = useOf(list)
        opened[use] = positions
        words[to] = use
        words[to + 1] = offset
        words[to + 2] = endings ?? NONE
        words[to + 3] = 0
        to += WORD_BYTES / 4
      }
      words[to - 1] = 1
    }
    return opened
  }

  /**
   * Copies a block of the positions of a list into the kernel.
   *
   * @param use - number of the list in the view. @param most - room for the block, bytes.
   * @returns the number of bytes of the block. {@link NONE} if there is no room.
   */
  copyPositions(view: number, use: number, block: number, at: number, most: number): number {
    const positions = this.#positions[view]![use]!()
    const length = positions.bytesOf(block)
    if (length > most) return NONE
    this.#words[at / 4] = positions.copyBlock(block, length, this.#arena.octets, at + POSITIONS_HEADER)
    return length
  }

  /** Returns the address of a list in the arena. Copies it there for this search if it is not there. Undefined if there is no room. */
  #addressOf(list: PostingList): number | undefined {
    if (list.place?.arena === this.#arena) return list.place.at
    const place = this.#borrow(list.imageBytes)
    if (place) list.copyTo(place)
    return place?.at
  }

  /** Returns the address of an array in the arena. Copies it there for this search if it is not there. Undefined if there is no room. */
  #addressOfArray(array: KernelArray): number | undefined {
    if (array.buffer === this.#arena.memory.buffer) return array.byteOffset
    const place = this.#borrow(array.byteLength)
    if (place) this.#arena.octets.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), place.at)
    return place?.at
  }

  /** Allocates memory of the arena for this search only. Undefined if there is no room. */
  #borrow(bytes: number): Allocation | undefined {
    const place = this.#arena.allocate(bytes)
    if (place) this.#arena.release(place.at, bytes)
    return place
  }

  /** Returns the adjacent words for whose signatures there is room. A word may be left out, because the condition tests each match. */
  #adjacentIn(view: OpenedQuery): PlacedWord[] {
    return view.adjacentWords().flatMap(({ list, signatures, hash }) => {
      const kept = list.count > this.#arena.bytes * SIGNATURES_SHARE ? undefined : signatures()
      const signaturesAt = kept && this.#addressOfArray(kept)
      return signaturesAt === undefined ? [] : [{ list, signaturesAt, hash }]
    })
  }
}

/** The phrases that the kernel tests. */
function phrasesIn(view: OpenedQuery): readonly RequiredPhrase[] {
  const phrases = view.phrases()
  return countWords(phrases) <= kernelLimits.MAX_PHRASE_WORDS ? phrases : []
}

function countWords(phrases: readonly RequiredPhrase[]): number {
  let count = 0
  for (const { length } of phrases) count += length
  return count
}

/** Maximum bytes per capture of what the kernel reads of a segment's columns: lengths, publish days, and the bits of superseded captures. */
const MAX_COLUMN_BYTES = 4 + 2 + 1

/**
 * Returns the size of an arena with room for all that the kernel reads to answer a query, bytes.
 *
 * @returns undefined if the query is too large for the kernel.
 */
export function bytesOfQuery({ k, views }: TopKQuery): number | undefined {
  if (k > kernelLimits.MAX_K || views.length > kernelLimits.MAX_VIEWS) return undefined
  let bytes = 0
  for (const { segment, lists } of views) {
    bytes += 3 * Arena.sizeOf(0) + MAX_COLUMN_BYTES * segment.captures
    // A signature for each posting, if the list has some.
    for (const { list } of lists) bytes += Arena.sizeOf(list.imageBytes) + Arena.sizeOf(list.count)
  }
  return bytes
}

/**
 * Returns the lists in the order that the kernel expects: first the required ones, the shortest first, unless a list with next-word
 * signatures leads; then the others, by descending weight.
 */
function inOrder(lists: readonly WeightedList[], adjacent: readonly PlacedWord[]): WeightedList[] {
  const ordered = lists.filter(({ required, weight }) => required || weight > 0)
  if (ordered.length > 1) ordered.sort(compareLists)
  const lead = adjacent.length > 0 ? ordered.findIndex(({ list }) => adjacent.some(word => word.list === list)) : 0
  if (lead > 0 && ordered[lead]!.list.count < LEAD * ordered[0]!.list.count) ordered.unshift(...ordered.splice(lead, 1))
  return ordered
}

function compareLists(a: WeightedList, b: WeightedList): number {
  if (a.required !== b.required) return a.required ? -1 : 1
  return a.required ? a.list.count - b.list.count : b.weight - a.weight
}

/** True if it saves time to ask the condition which captures of a window may match, before anything is scored. */
function isSelective({ condition, onlyScored, segment }: OpenedQuery, first: WeightedList | undefined): boolean {
  const size = condition?.size ?? Number.POSITIVE_INFINITY
  if (first?.required) return size < first.list.count / 2
  return !onlyScored || size < segment.captures / 2
}
