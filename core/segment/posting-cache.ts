import { LRUCache } from 'lru-cache'
import { Arena, type Place } from '../kernels/arena.ts'
import type { TermEntry } from './dictionary/dictionary-format.ts'
import type { PostingList } from './postings/posting-list.ts'

/** One term of one segment, ready to be read. */
export interface SegmentTerm {
  list: PostingList
  entry: TermEntry
}

/** What the kernel reads besides lists: values by ordinal or by posting. */
export type KernelArray = Uint8Array | Uint16Array | Uint32Array

interface ArrayType<A> {
  readonly BYTES_PER_ELEMENT: number
  new (length: number): A
  new (buffer: ArrayBuffer, at: number, length: number): A
}

/** `null`: the segment does not hold the term. */
type Kept = SegmentTerm | { list: null } | { array: KernelArray }

/** Measured memory of an open posting list, besides its bytes, and of a cache entry for an absent one. */
const LIST_OVERHEAD_BYTES = 1500
const ABSENT_BYTES = 200
/** Measured memory of a kept array, besides its bytes. */
const ARRAY_OVERHEAD_BYTES = 500
/** What takes more than this share of the cache is not kept in the memory of the kernel, because it would displace too much. */
const LARGEST_SHARE = 1 / 2

/**
 * A thread's cache of data from all segments, within a byte budget: posting lists, and whatever else the search kernel
 * (`core/kernels`) reads. The data lies in one arena. What does not fit lies in ordinary memory, and searches that need it do
 * not use the kernel. Evicted data stays readable until {@link reclaim}.
 */
export class PostingCache {
  readonly #bytes: number
  readonly #kept: LRUCache<string, Kept>
  /** Undefined until it is needed; null where there can be none. */
  #arena: Arena | null | undefined

  /** @param bytes - the budget; 0 keeps nothing. */
  constructor(bytes: number) {
    this.#bytes = bytes
    this.#kept = new LRUCache<string, Kept>({
      maxSize: Math.max(1, bytes),
      sizeCalculation: sizeOf,
      dispose: kept => this.#release(kept),
    })
  }

  /** The memory that the kernel searches; undefined as long as nothing lies in it. */
  get arena(): Arena | undefined {
    return this.#arena ?? undefined
  }

  /** @param open - opens the term; returns undefined if the segment does not hold it. */
  term(key: string, open: () => SegmentTerm | undefined): SegmentTerm | undefined {
    const known = this.#kept.get(key)
    if (known && 'list' in known) {
      if (known.list === null) return undefined
      // There was no room for it in an earlier search.
      if (!known.list.place) this.#place(known.list)
      return known
    }
    const found = open()
    if (found) this.#place(found.list)
    this.#kept.set(key, found ?? { list: null })
    return found
  }

  /**
   * An array that is kept like a posting list. Valid until the next {@link reclaim}.
   *
   * @param fill - fills an array of zeros.
   */
  array<A extends KernelArray>(
    key: string,
    { type, length }: { type: ArrayType<A>; length: number },
    fill: (out: A) => void,
  ): A {
    const known = this.#kept.get(key)
    // Each key is used with one type of array.
    const array = known && 'array' in known ? (known.array as A) : undefined
    if (array && array.buffer === this.#arena?.memory.buffer) return array
    const place = this.#allocate(length * type.BYTES_PER_ELEMENT)
    if (array && !place) return array
    const made = place ? new type(place.arena.memory.buffer, place.at, length) : new type(length)
    if (place) made.fill(0)
    try {
      fill(made)
    } catch (error) {
      place?.arena.release(place.at, made.byteLength)
      throw error
    }
    this.#kept.set(key, { array: made })
    return made
  }

  /** Forgets an array. */
  delete(key: string): void {
    this.#kept.delete(key)
  }

  /** Frees the memory of what was evicted. Called between searches. */
  reclaim(): void {
    this.#arena?.reclaim()
  }

  /** Forgets everything and gives the memory back. */
  clear(): void {
    this.#kept.clear()
    this.#arena = undefined
  }

  /** Returns free memory in the arena; undefined if there is no room. */
  #allocate(bytes: number): Place | undefined {
    // What the cache would not keep would never be released.
    if (Arena.sizeOf(bytes) + LIST_OVERHEAD_BYTES > this.#bytes * LARGEST_SHARE) return undefined
    if (this.#arena === undefined) this.#arena = Arena.open(this.#bytes) ?? null
    return this.#arena?.allocate(bytes)
  }

  #place(list: PostingList): void {
    if (this.#arena === null) return
    const place = this.#allocate(list.imageBytes)
    if (place) list.moveTo(place)
  }

  #release(kept: Kept): void {
    if ('array' in kept) {
      const { buffer, byteOffset, byteLength } = kept.array
      if (buffer === this.#arena?.memory.buffer) this.#arena?.release(byteOffset, byteLength)
    } else if (kept.list?.place) kept.list.place.arena.release(kept.list.place.at, kept.list.imageBytes)
  }
}

function sizeOf(kept: Kept): number {
  if ('array' in kept) return ARRAY_OVERHEAD_BYTES + Arena.sizeOf(kept.array.byteLength)
  return kept.list ? LIST_OVERHEAD_BYTES + Arena.sizeOf(kept.list.imageBytes) : ABSENT_BYTES
}
