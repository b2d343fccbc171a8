import { lowBitsFor, MAX_LOW_BITS } from '../bytes/rice-coding.ts'
import { windowCount } from '../segment/postings/window-impacts.ts'
import { saturationSlope } from '../segment/ranking-model.ts'
import type { EncodedLists } from '../segment/segment-writer.ts'
import type { StandingWriter } from '../segment/standing/standing-writer.ts'
import { base64, leastPages } from './list-merger.generated.ts'
import { compileKernel, instantiateKernel } from './load-kernel.ts'

/** The exports of `list-merger.c`. Those without parameters return an address or a limit. */
interface MergerExports
  extends Record<'sources' | 'maxSources' | 'merged' | 'standing' | 'lowThresholds', () => number> {
  readonly __heap_base: { readonly value: number }
  merge(
    sources: number,
    slope: number,
    lengths: number,
    captures: number,
    windows: number,
    out: number,
    limit: number,
  ): number
}

/** Where the lists of a term in one segment are put: offsets in {@link ListMerger.bytes}. */
export interface PlacedLists {
  /** Index of the segment. */
  source: number
  count: number
  postingsAt: number
  postingsBytes: number
  positionsAt: number
  positionsBytes: number
}

const PAGE_BYTES = 65_536
/** Addresses have 32 bits. */
const MAX_PAGES = 65_536
/** Fields of `Source` in list-merger.c. */
const SOURCE_WORDS = 7
/** Number of arrays of the kernel by which it writes standing lists. */
const STANDING_COLUMNS = 4
/** The kernel reads a register beyond the end of a list. */
const SLACK_BYTES = 16
/** Memory for the lists of one term, bytes: a share for each capture of the merged segment, within limits. TypeScript merges longer lists. */
const LIST_BYTES_PER_CAPTURE = 64
const MIN_LIST_BYTES = 1 << 20
const MAX_LIST_BYTES = 1 << 25
/**
 * Memory for the merged lists, as a multiple of that for the lists. Merged lists have about as many bytes as the lists, and need 9 more per
 * posting while they are merged, and 17 more than that for a standing list.
 */
const OUTPUT_RATIO = 2

/** The compiled module and the result of {@link lowThresholds}, made once. The module is null where it cannot be compiled. */
let module: object | null | undefined
let thresholds: Float64Array | undefined

/**
 * Returns, for each number of bits from 1 to {@link MAX_LOW_BITS}, the least mean gap for which {@link lowBitsFor} returns it or more. The
 * kernel compares with these gaps, because WebAssembly has no logarithm.
 */
function lowThresholds(): Float64Array {
  return Float64Array.from({ length: MAX_LOW_BITS }, (_, i) => {
    const bits = i + 1
    const words = new BigUint64Array(Float64Array.of(2 ** (bits - 1), 2 ** (bits + 1)).buffer)
    let [below, reached] = [words[0]!, words[1]!]
    // Positive doubles are in the same order as their bits read as integers.
    while (reached - below > 1n) {
      const middle = (below + reached) / 2n
      if (lowBitsFor(doubleOf(middle)) >= bits) reached = middle
      else below = middle
    }
    return doubleOf(reached)
  })
}

function doubleOf(bits: bigint): number {
  return new Float64Array(BigUint64Array.of(bits).buffer)[0]!
}

/**
 * Merges the lists of each term of one merge in WebAssembly. It repeats parts of the codecs, which pays: a merge of 50,000 pages takes
 * 34 µs of processor time per page, and 73 µs in TypeScript. A page is merged 1.8 times (100,000 pages, added 5,000 at a time) to 3.6
 * times (a million, 200 at a time), and indexing it takes 760 µs in all. TypeScript still merges lists that are inline in the dictionary,
 * too long, or damaged.
 */
export class ListMerger {
  /** The memory of the kernel. */
  readonly bytes: Uint8Array
  readonly #exports: MergerExports
  readonly #words: Uint32Array
  readonly #slope: number
  readonly #mappings: { at: number; captures: number }[]
  readonly #captures: number
  readonly #lengthsAt: number
  readonly #windowsAt: number
  readonly #listsAt: number
  readonly #outputAt: number
  readonly #sourcesWord: number
  #sources = 0
  #at = 0

  private constructor(
    exports: MergerExports,
    memory: ArrayBuffer,
    { mappings, lengths, averageLength, standing }: Merge,
  ) {
    this.#exports = exports
    this.bytes = new Uint8Array(memory)
    this.#words = new Uint32Array(memory)
    this.#slope = saturationSlope(averageLength)
    this.#captures = lengths.length
    thresholds ??= lowThresholds()
    new Float64Array(memory, exports.lowThresholds(), MAX_LOW_BITS).set(thresholds)
    let at = Math.ceil(exports.__heap_base.value / SLACK_BYTES) * SLACK_BYTES
    const placed = (array: Uint32Array): number => {
      this.#words.set(array, at / 4)
      at += array.byteLength
      return at - array.byteLength
    }
    this.#mappings = mappings.map(mapping => ({ at: placed(mapping), captures: mapping.length }))
    this.#lengthsAt = placed(lengths)
    if (standing) {
      const { places, successors, firsts, ends } = standing
      const arrays = [places, successors, firsts].map(placed)
      // The numbers of due ends, which are 0.
      const dueAt = at
      at += 4 * lengths.length
      this.#words.set([...arrays, dueAt, ends], exports.standing() / 4)
    }
    this.#windowsAt = at
    this.#listsAt = Math.ceil((at + windowCount(lengths.length)) / SLACK_BYTES) * SLACK_BYTES
    this.#outputAt = this.#listsAt + listBytes(lengths.length)
    this.#sourcesWord = exports.sources() / 4
  }

  /** Returns undefined where the kernel cannot be instantiated, or if there are too many segments or captures. */
  static open(merge: Merge): ListMerger | undefined {
    module ??= compileKernel(base64) ?? null
    const { mappings, lengths, standing } = merge
    const columns = 1 + (standing ? STANDING_COLUMNS : 0)
    const columnBytes = 4 * (mappings.reduce((total, { length }) => total + length, 0) + columns * lengths.length)
    const bytes = columnBytes + windowCount(lengths.length) + (1 + OUTPUT_RATIO) * listBytes(lengths.length)
    const pages = leastPages + Math.ceil(bytes / PAGE_BYTES) + 1
    const kernel = pages <= MAX_PAGES ? instantiateKernel(module ?? undefined, pages) : undefined
    if (!kernel) return undefined
    const exports = kernel.exports as MergerExports
    return mappings.length > exports.maxSources() ? undefined : new ListMerger(exports, kernel.memory, merge)
  }

  /** Removes the lists of the previous term. */
  begin(): void {
    this.#sources = 0
    this.#at = this.#listsAt
  }

  /** Returns the offset of room for `length` bytes in {@link bytes}; undefined if the lists of the term are too long. */
  reserve(length: number): number | undefined {
    const at = this.#at
    // Lists with full blocks are read as words.
    const next = at + Math.ceil(length / 4) * 4
    if (next + SLACK_BYTES > this.#outputAt) return undefined
    this.#at = next
    return at
  }

  /**
   * Adds the lists of the term in one segment. The caller has written their bytes at the offsets that {@link reserve} returned. Postings
   * that are inline in the dictionary contain their positions, so they have no positions list.
   */
  add({ source, count, postingsAt, postingsBytes, positionsAt, positionsBytes }: PlacedLists): void {
    const { at, captures } = this.#mappings[source]!
    const words = this.#words
    let word = this.#sourcesWord + SOURCE_WORDS * this.#sources++
    words[word++] = count
    words[word++] = at
    words[word++] = captures
    words[word++] = postingsAt
    words[word++] = postingsAt + postingsBytes
    words[word++] = positionsAt
    words[word] = positionsAt + positionsBytes
  }

  /**
   * Merges the lists that were added, and leaves out omitted captures. Returns undefined if the merged lists do not fit, or if a list is
   * damaged. The merger in TypeScript then reports the damage. The lists are views of the kernel's memory, valid until the next term.
   */
  merge(): EncodedLists | undefined {
    const kernel = this.#exports
    const count = kernel.merge(
      this.#sources,
      this.#slope,
      this.#lengthsAt,
      this.#captures,
      this.#windowsAt,
      this.#outputAt,
      this.bytes.length - SLACK_BYTES,
    )
    if (count < 0) return undefined
    const word = kernel.merged() / 4
    const view = (at: number): Uint8Array =>
      this.bytes.subarray(this.#words[at]!, this.#words[at]! + this.#words[at + 1]!)
    const ended = this.#words[word + 6]!
    return { count, postings: view(word), positions: view(word + 2), ended, standing: view(word + 4) }
  }
}

/** What the kernel needs to know of a merge. */
export interface Merge {
  /** For each segment, the new ordinal of each old ordinal, or `OMITTED`. New ordinals ascend. */
  mappings: readonly Uint32Array[]
  /** Weighted length of each capture of the merged segment, and their mean. */
  lengths: Uint32Array
  averageLength: number
  /** Undefined if no capture of the merged segment has ended. */
  standing: StandingWriter | undefined
}

function listBytes(captures: number): number {
  return Math.min(MAX_LIST_BYTES, MIN_LIST_BYTES + LIST_BYTES_PER_CAPTURE * captures)
}
