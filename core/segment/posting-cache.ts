import { LRUCache } from 'lru-cache'
import { type Allocation, Arena } from './arena.ts'
import type { TermEntry } from './dictionary/dictionary-format.ts'
import type { KeptArray, KernelArray } from './kept-array.ts'
import { PostingList } from './postings/posting-list.ts'
import type { Saturation } from './ranking-model.ts'
import type { ListKey, SharedLists } from './shared-lists.ts'
import type { TermStanding } from './standing/term-standing.ts'

/** One term of one segment, ready to be read. */
export interface SegmentTerm {
  list: PostingList
  entry: TermEntry
  /** The next-word signatures of its postings, see `Segment.signatures`. */
  signatures: KeptArray<Uint8Array>
  standing: TermStanding
  /** What identifies the list for all threads. Undefined for a list that only this thread has, such as a short one. */
  key?: ListKey | undefined
  /** The part of the shared memory in which the list lies. Undefined if it is not there. Only the cache changes it. */
  part?: number | undefined
}

interface ArrayType<A> {
  readonly BYTES_PER_ELEMENT: number
  new (length: number): A
  new (buffer: ArrayBuffer | SharedArrayBuffer, at: number, length: number): A
}

/** The terms of one segment that the cache knows. Only the cache changes it. */
export type KeptTerms = Map<string, KeptTerm>

/** A term that the cache knows; without `found` if the segment does not hold it. */
class KeptTerm {
  readonly terms: KeptTerms
  readonly term: string
  readonly found: SegmentTerm | undefined
  /** Total number of bytes that had been added to the cache when the term was last used, see {@link PostingCache}. */
  usedAt = 0

  constructor(terms: KeptTerms, term: string, found: SegmentTerm | undefined) {
    this.terms = terms
    this.term = term
    this.found = found
  }
}

type Kept = KeptTerm | KeptArray<KernelArray>

/** Measured memory of an open posting list besides its bytes, and of the entry for a term that the segment does not hold. */
const LIST_OVERHEAD_BYTES = 1500
const ABSENT_BYTES = 200
/** Measured memory of a kept array, besides its bytes. */
const ARRAY_OVERHEAD_BYTES = 500
/** A list or array that takes more than this share of the cache is not put into the arena, because it would displace too much. */
const LARGEST_SHARE = 1 / 2

/** An entry that is used is moved to the end of the queue only if more than this share of the budget was added since its last move. */
const RECENT_SHARE = 1 / 8

/**
 * A thread's cache of data from all segments, within a byte budget: posting lists, and the arrays that the search kernel (`core/kernels`)
 * reads. The data is in one arena. Data that does not fit is in ordinary memory, and a search that needs it copies it to an arena of its
 * own. The least recently used data is evicted first, and stays readable until {@link reclaim}. Recency is measured in bytes that were
 * added since the last use, so a search that finds all its data in the cache changes nothing.
 *
 * With several search threads, all but short lists are in memory that the threads share ({@link SharedLists}), outside of this budget.
 */
export class PostingCache {
  readonly #fullBytes: number
  #bytes: number
  #kept: LRUCache<Kept, Kept>
  /** Total number of bytes that were added to the cache, including evicted ones. */
  #taken = 0
  /** Size of the largest allocation for which there was no room since the last {@link reclaim}, bytes. */
  #missed = 0
  /** Undefined until it is needed; null if it cannot be created. */
  #arena: Arena | null | undefined
  readonly #shared: SharedLists | undefined
  /** True during {@link reading}. */
  #isReading = false

  /** @param bytes - the budget; 0 keeps nothing. @param shared - the lists that several threads share. */
  constructor(bytes: number, shared?: SharedLists) {
    this.#fullBytes = bytes
    this.#bytes = bytes
    this.#shared = shared
    this.#arena = shared?.ownArena()
    this.#kept = this.#keeping(bytes)
  }

  /** The memory that the kernel searches; undefined as long as nothing lies in it. */
  get arena(): Arena | undefined {
    return this.#arena ?? undefined
  }

  /** True if several threads share their long lists. */
  get sharesLists(): boolean {
    return this.#shared !== undefined
  }

  /**
   * Returns a term of a segment, opening it if it is not cached. Undefined if the segment does not hold it.
   *
   * @param terms - the cached terms of the segment.
   * @param open - opens the term; returns undefined if the segment does not hold it.
   */
  term(terms: KeptTerms, term: string, open: (term: string) => SegmentTerm | undefined): SegmentTerm | undefined {
    const known = this.#known(terms.get(term))
    const found = known ? known.found : open(term)
    // In an earlier search, the arena may have had no room for the list.
    if (found && !found.list.place) this.#place(found)
    if (known) this.#use(known)
    else {
      const kept = new KeptTerm(terms, term, found)
      if (this.#keep(kept)) terms.set(term, kept)
    }
    return found
  }

  /**
   * Finds a list that a thread has put into shared memory. Undefined if none has.
   *
   * @param saturation - the function with which the list was encoded.
   */
  sharedList(key: ListKey, saturation: Saturation): { list: PostingList; part: number } | undefined {
    const place = this.#isReading ? this.#shared?.find(key) : undefined
    if (!place || !this.#arena) return undefined
    return { list: PostingList.placed({ arena: this.#arena, at: place.at }, saturation), part: place.part }
  }

  /** Runs a search. Reclaims memory first. What the search has found in the cache stays as it is until the end of the search. */
  reading<T>(search: () => T): T {
    this.reclaim()
    this.#shared?.begin()
    this.#isReading = true
    try {
      return search()
    } finally {
      this.#isReading = false
      this.#shared?.end()
    }
  }

  /**
   * Returns an array, which is cached like a posting list. Valid until the next {@link reclaim}.
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

  /** Removes an array from the cache. */
  delete(kept: KeptArray<KernelArray>): void {
    this.#kept.delete(kept)
  }

  /**
   * Frees the memory of evicted data. Then evicts more, until there is room for the largest allocation that failed in the last search: it
   * may have failed because the free memory was in small pieces. Called between searches.
   */
  reclaim(): void {
    const arena = this.#arena
    if (!arena) return
    arena.reclaim()
    while (this.#missed > arena.largestRun && this.#kept.pop()) arena.reclaim()
    this.#missed = 0
  }

  /** Empties the cache and frees its memory. @param share - the share of the budget that it may take from now on. Default: all. */
  clear(share = 1): void {
    this.#kept.clear()
    this.#bytes = this.#fullBytes * share
    this.#kept = this.#keeping(this.#bytes)
    if (!this.#shared) this.#arena = undefined
  }

  #keeping(bytes: number): LRUCache<Kept, Kept> {
    return new LRUCache({
      maxSize: Math.max(1, Math.floor(bytes)),
      sizeCalculation: sizeOf,
      dispose: kept => this.#release(kept),
    })
  }

  /** Adds an entry. Returns false if the entry is larger than the whole budget; then it is not added. */
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
    // The cache would not keep so large an entry, and so would never release its memory.
    if (Arena.sizeOf(bytes) + LIST_OVERHEAD_BYTES > this.#bytes * LARGEST_SHARE) return undefined
    if (this.#arena === undefined) this.#arena = Arena.open(this.#bytes) ?? null
    const place = this.#arena?.allocate(bytes)
    if (!place) this.#missed = Math.max(this.#missed, Arena.sizeOf(bytes))
    return place
  }

  /** Returns a term as it is known, unless its list was evicted from shared memory. A list that will soon be evicted is copied. */
  #known(kept: KeptTerm | undefined): KeptTerm | undefined {
    const part = kept?.found?.part
    if (!kept?.found || part === undefined) return kept
    if (!this.#isReading || !this.#shared?.isReadable(part)) {
      this.#kept.delete(kept)
      return undefined
    }
    if (this.#shared.isOld(part)) this.#share(kept.found)
    return kept
  }

  #place(term: SegmentTerm): void {
    if (this.#arena === null || this.#share(term)) return
    const place = this.#allocate(term.list.imageBytes)
    if (place) term.list.moveTo(place)
  }

  /** Copies a list to shared memory. Returns false if it cannot be there. */
  #share(term: SegmentTerm): boolean {
    const { key, list } = term
    const arena = this.#arena
    if (!key || !arena || !this.#isReading) return false
    const place = this.#shared?.add(key, list.imageBytes, at => list.moveTo({ arena, at }))
    if (place) term.part = place.part
    return place !== undefined
  }

  #release(kept: Kept): void {
    if (kept instanceof KeptTerm) {
      kept.terms.delete(kept.term)
      const { found } = kept
      if (found?.list.place && found.part === undefined)
        found.list.place.arena.release(found.list.place.at, found.list.imageBytes)
      return
    }
    const { array } = kept
    kept.array = undefined
    if (array && array.buffer === this.#arena?.memory.buffer) this.#arena.release(array.byteOffset, array.byteLength)
  }
}

function sizeOf(kept: Kept): number {
  if (!(kept instanceof KeptTerm)) return ARRAY_OVERHEAD_BYTES + Arena.sizeOf(kept.array?.byteLength ?? 0)
  if (!kept.found) return ABSENT_BYTES
  const { list, entry, part } = kept.found
  const bytes = part === undefined ? Arena.sizeOf(list.imageBytes) : 0
  // The standing list is read only for questions about the past, but then stays as long as the term.
  return LIST_OVERHEAD_BYTES + bytes + entry.standingBytes
}
