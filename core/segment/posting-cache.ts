import { LRUCache } from 'lru-cache'
import { type Allocation, Arena } from './arena.ts'
import type { TermEntry } from './dictionary/dictionary-format.ts'
import type { PostingList } from './postings/posting-list.ts'

/** One term of one segment, ready to be read. */
export interface SegmentTerm {
  list: PostingList
  entry: TermEntry
  /** The next-word signatures of its postings, see `Segment.signatures`. */
  signatures: KeptArray<Uint8Array>
}

/** What the kernel reads besides lists: values by ordinal or by posting. */
export type KernelArray = Uint8Array | Uint16Array | Uint32Array

interface ArrayType<A> {
  readonly BYTES_PER_ELEMENT: number
  new (length: number): A
  new (buffer: ArrayBuffer, at: number, length: number): A
}

/** The terms of one segment that the cache knows. Only the cache changes it. */
export type KeptTerms = Map<string, KeptTerm>

/** A term that the cache knows; without `found` if the segment does not hold it. */
class KeptTerm {
  readonly terms: KeptTerms
  readonly term: string
  readonly found: SegmentTerm | undefined
  /** Number of bytes that the cache had taken in when the term was used last, see {@link PostingCache}. */
  usedAt = 0

  constructor(terms: KeptTerms, term: string, found: SegmentTerm | undefined) {
    this.terms = terms
    this.term = term
    this.found = found
  }
}

/** An array that the cache keeps for its owner. Only the cache changes it. */
export class KeptArray<A extends KernelArray> {
  array: A | undefined
  /** As that of a term. */
  usedAt = 0
}

type Kept = KeptTerm | KeptArray<KernelArray>

/** Measured memory of an open posting list, besides its bytes, and of a cache entry for an absent one. */
const LIST_OVERHEAD_BYTES = 1500
const ABSENT_BYTES = 200
/** Measured memory of a kept array, besides its bytes. */
const ARRAY_OVERHEAD_BYTES = 500
/** What takes more than this share of the cache is not kept in the memory of the kernel, because it would displace too much. */
const LARGEST_SHARE = 1 / 2

/** What was used while the last bytes of this share of the cache were taken in is not moved to the end of the queue again. */
const RECENT_SHARE = 1 / 8

/**
 * A thread's cache of data from all segments, within a byte budget: posting lists, and whatever else the search kernel
 * (`core/kernels`) reads. The data lies in one arena. What does not fit lies in ordinary memory, and a search that needs it
 * copies it to a memory of its own. Evicted data stays readable until {@link reclaim}. What was used least recently is evicted first; how
 * recently is measured in bytes that were taken in since, so that a search whose data is all there changes nothing.
 */
export class PostingCache {
  readonly #bytes: number
  readonly #kept: LRUCache<Kept, Kept>
  /** Number of bytes that were ever taken in. */
  #taken = 0
  /** The largest number of bytes for which there was no room since the last {@link reclaim}. */
  #missed = 0
  /** Undefined until it is needed; null where there can be none. */
  #arena: Arena | null | undefined

  /** @param bytes - the budget; 0 keeps nothing. */
  constructor(bytes: number) {
    this.#bytes = bytes
    this.#kept = new LRUCache({
      maxSize: Math.max(1, bytes),
      sizeCalculation: sizeOf,
      dispose: kept => this.#release(kept),
    })
  }

  /** The memory that the kernel searches; undefined as long as nothing lies in it. */
  get arena(): Arena | undefined {
    return this.#arena ?? undefined
  }

  /**
   * @param terms - of the segment.
   * @param open - opens the term; returns undefined if the segment does not hold it.
   */
  term(terms: KeptTerms, term: string, open: (term: string) => SegmentTerm | undefined): SegmentTerm | undefined {
    const known = terms.get(term)
    const found = known ? known.found : open(term)
    // There may have been no room for it in an earlier search.
    if (found && !found.list.place) this.#place(found.list)
    if (known) this.#use(known)
    else {
      const kept = new KeptTerm(terms, term, found)
      if (this.#keep(kept)) terms.set(term, kept)
    }
    return found
  }

  /**
   * An array that is kept like a posting list. Valid until the next {@link reclaim}.
   *
   * @param fill - fills an array of zeros.
   */
  array<A extends KernelArray>(
    kept: KeptArray<A>,
    { type, length }: { type: ArrayType<A>; length: number },
    fill: (out: A) => void,
  ): A {
    const { array } = kept
    if (array && array.buffer === this.#arena?.memory.buffer) {
      this.#use(kept)
      return array
    }
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
    this.#kept.delete(kept)
    kept.array = made
    if (!this.#keep(kept)) kept.array = undefined
    return made
  }

  /** Forgets an array. */
  delete(kept: KeptArray<KernelArray>): void {
    this.#kept.delete(kept)
  }

  /**
   * Frees the memory of what was evicted, and makes room for what the last search found none for: the free memory may be in
   * pieces that are all too small. Called between searches.
   */
  reclaim(): void {
    const arena = this.#arena
    if (!arena) return
    arena.reclaim()
    while (this.#missed > arena.largestRun && this.#kept.pop()) arena.reclaim()
    this.#missed = 0
  }

  /** Forgets everything and gives the memory back. */
  clear(): void {
    this.#kept.clear()
    this.#arena = undefined
  }

  /** Returns false for what is larger than the whole budget, which is not kept. */
  #keep(kept: Kept): boolean {
    this.#taken += sizeOf(kept)
    kept.usedAt = this.#taken
    return this.#kept.set(kept, kept).has(kept)
  }

  #use(kept: Kept): void {
    if (this.#taken - kept.usedAt <= this.#bytes * RECENT_SHARE) return
    kept.usedAt = this.#taken
    this.#kept.get(kept)
  }

  /** Returns free memory in the arena; undefined if there is no room. */
  #allocate(bytes: number): Allocation | undefined {
    // What the cache would not keep would never be released.
    if (Arena.sizeOf(bytes) + LIST_OVERHEAD_BYTES > this.#bytes * LARGEST_SHARE) return undefined
    if (this.#arena === undefined) this.#arena = Arena.open(this.#bytes) ?? null
    const place = this.#arena?.allocate(bytes)
    if (!place) this.#missed = Math.max(this.#missed, Arena.sizeOf(bytes))
    return place
  }

  #place(list: PostingList): void {
    if (this.#arena === null) return
    const place = this.#allocate(list.imageBytes)
    if (place) list.moveTo(place)
  }

  #release(kept: Kept): void {
    if (kept instanceof KeptTerm) {
      kept.terms.delete(kept.term)
      const list = kept.found?.list
      if (list?.place) list.place.arena.release(list.place.at, list.imageBytes)
      return
    }
    const { array } = kept
    kept.array = undefined
    if (array && array.buffer === this.#arena?.memory.buffer) this.#arena.release(array.byteOffset, array.byteLength)
  }
}

function sizeOf(kept: Kept): number {
  if (kept instanceof KeptTerm)
    return kept.found ? LIST_OVERHEAD_BYTES + Arena.sizeOf(kept.found.list.imageBytes) : ABSENT_BYTES
  return ARRAY_OVERHEAD_BYTES + Arena.sizeOf(kept.array?.byteLength ?? 0)
}
