import { type KernelMemory, WebAssembly } from '../bytes/web-assembly.ts'
import { Arena } from './arena.ts'
import type { ByteStreamId } from './streams.ts'

/**
 * Number of parts of the memory for lists. One part is filled at a time. When it is full, the oldest part is emptied and filled next, so the
 * list that was copied longest ago is evicted first. A list that is still used is copied into the current part before that.
 */
const PARTS = 16
/** A list of a part that is among this many oldest ones is copied into the current part when it is used. */
const OLD_PARTS = 4
/** A list that takes more than this share of a part is not shared, because it would displace too much. */
const LARGEST_SHARE = 1 / 2

/** Number of encoded bytes from which a list is shared. Each thread has copies of its own of shorter lists, which are read quickly. */
export const SHARED_FROM_BYTES = 512
/** Bytes of a part for each entry of its directory. Lists take more in the mean. */
const BYTES_PER_ENTRY = 2048
/** Number of entries that may have to be compared to find a list. A list for which all of these are taken is not entered. */
const PROBES = 32

/** Words of an entry of a directory: its state, segment, stream, the address in the stream (low, high), and the address in the memory. */
const ENTRY_WORDS = 8
const FREE = 0
const CLAIMED = 1
const PUBLISHED = 2

/** Control words, at the beginning of the control area. After them come the numbers of filled bytes of each part, then the announcements. */
const CURRENT = 0
const LOCK = 1
const FILLED = 2
const ANNOUNCED = FILLED + PARTS

/** Identifies a posting list: its segment, its stream, and its address in the stream. */
export interface ListKey {
  segment: number
  stream: ByteStreamId
  at: number
}

/** Where a shared list is: its address, and the number of the part that holds it. */
export interface SharedPlace {
  at: number
  part: number
}

/** The memory that all search threads share, and its layout. The main thread sends both to each search thread. */
export interface SharedListMemory {
  memory: KernelMemory
  threads: number
  /** Bytes that each thread has for itself, at the beginning of the memory, in the order of the threads. */
  ownBytes: number
  /** Bytes of one part. */
  partBytes: number
}

/**
 * The posting lists that all search threads read, in one WebAssembly memory, in which each thread also has an area of its own. Nothing
 * is locked for reading or adding a list:
 *
 * - A thread that adds a list claims bytes of the current part, writes the list, and then publishes it in the directory of the part. Two threads
 *   may add the same list at the same time; then it is there twice.
 * - A thread announces the number of the current part before it reads or adds anything, and withdraws the announcement at the end of its search.
 *   A part is filled again only if every announcement is later than the moment when its lists became unreadable. So a list that a thread has
 *   found stays as it is until the search of the thread ends.
 * - Only the change of the current part takes a lock. A thread that finds it taken does without room for its list.
 *
 * A thread may end at any moment. What it has claimed is free again with the part. {@link forget} withdraws its announcement and its lock.
 */
export class SharedLists {
  readonly #layout: SharedListMemory
  readonly #thread: number
  readonly #words: Int32Array
  /** Index in {@link #words} of the control words, and of the first directory. */
  readonly #control: number
  readonly #directories: number
  /** Number of entries of the directory of one part, a power of two. */
  readonly #entries: number
  /** Address of the first part. */
  readonly #parts: number

  constructor(layout: SharedListMemory, thread: number) {
    this.#layout = layout
    this.#thread = thread
    this.#words = new Int32Array(layout.memory.buffer)
    this.#entries = entriesOf(layout.partBytes)
    this.#control = (layout.threads * layout.ownBytes) / 4
    this.#directories = this.#control + controlWords(layout.threads)
    this.#parts = 4 * (this.#directories + PARTS * this.#entries * ENTRY_WORDS)
  }

  /**
   * Makes a memory.
   *
   * @param listBytes - room for lists. @param ownBytes - room of each thread for itself.
   * @returns undefined where WebAssembly is missing, or if there is not enough address space.
   */
  static memory(
    threads: number,
    { listBytes, ownBytes }: { listBytes: number; ownBytes: number },
  ): SharedListMemory | undefined {
    const own = Arena.roomFor(ownBytes)
    const partBytes = Arena.sizeOf(listBytes / PARTS)
    const control = 4 * (controlWords(threads) + PARTS * entriesOf(partBytes) * ENTRY_WORDS)
    const memory = WebAssembly && Arena.memoryOf(threads * own + control + PARTS * partBytes, true)
    if (!memory) return undefined
    const layout = { memory, threads, ownBytes: own, partBytes }
    const lists = new SharedLists(layout, 0)
    // The parts have ascending numbers. The first of them is not 0, because 0 means that a thread announces nothing.
    lists.#words[lists.#control + CURRENT] = PARTS
    return layout
  }

  /** Undoes what a thread that has ended had announced or locked. */
  static forget(layout: SharedListMemory, thread: number): void {
    const lists = new SharedLists(layout, thread)
    lists.end()
    Atomics.compareExchange(lists.#words, lists.#control + LOCK, thread + 1, 0)
  }

  /** The area of this thread, empty. */
  ownArena(): Arena {
    const { memory, ownBytes } = this.#layout
    return Arena.within(memory, this.#thread * ownBytes, ownBytes)
  }

  /** Announces that a search begins. */
  begin(): void {
    Atomics.store(this.#words, this.#control + ANNOUNCED + this.#thread, this.#current)
  }

  /** Withdraws the announcement. What this thread has found may change from now on. */
  end(): void {
    Atomics.store(this.#words, this.#control + ANNOUNCED + this.#thread, 0)
  }

  /** True if the lists of a part can be read: in a search that found them, and also in a later one. */
  isReadable(part: number): boolean {
    return part > this.#current + 1 - PARTS
  }

  /** True if a list of this part will be evicted soon. */
  isOld(part: number): boolean {
    return part <= this.#current + 1 - PARTS + OLD_PARTS
  }

  /** Returns where a list is; undefined if no thread has added it. Only in a search. */
  find(key: ListKey): SharedPlace | undefined {
    const words = this.#words
    const slot = slotOf(key)
    for (let part = this.#current; this.isReadable(part); part--) {
      const directory = this.#directoryOf(part)
      for (let i = 0; i < PROBES; i++) {
        const entry = directory + ((slot + i) & (this.#entries - 1)) * ENTRY_WORDS
        const state = Atomics.load(words, entry)
        if (state === FREE) break
        if (state === PUBLISHED && this.#isOf(entry, key)) return { at: words[entry + 5]! >>> 0, part }
      }
    }
    return undefined
  }

  /**
   * Adds a list. Only in a search.
   *
   * @param write - writes the list to an address.
   * @returns undefined if there is no room.
   */
  add(key: ListKey, bytes: number, write: (at: number) => void): SharedPlace | undefined {
    const size = Arena.sizeOf(bytes)
    if (size > this.#layout.partBytes * LARGEST_SHARE) return undefined
    for (;;) {
      const part = this.#current
      const from = this.#claim(part, size)
      if (from === undefined) {
        if (this.#advance(part)) continue
        return undefined
      }
      const place = this.#parts + (part % PARTS) * this.#layout.partBytes + from
      write(place)
      this.#publish(part, key, place)
      return { at: place, part }
    }
  }

  #isOf(entry: number, { segment, stream, at }: ListKey): boolean {
    const words = this.#words
    const isAt = words[entry + 3] === (at | 0) && words[entry + 4] === Math.floor(at / 2 ** 32)
    return isAt && words[entry + 1] === (segment | 0) && words[entry + 2] === stream
  }

  get #current(): number {
    return Atomics.load(this.#words, this.#control + CURRENT)
  }

  #directoryOf(part: number): number {
    return this.#directories + (part % PARTS) * this.#entries * ENTRY_WORDS
  }

  /** Claims bytes of a part; returns their offset, or undefined if there is no room. */
  #claim(part: number, size: number): number | undefined {
    const at = this.#control + FILLED + (part % PARTS)
    for (;;) {
      const filled = Atomics.load(this.#words, at)
      if (filled + size > this.#layout.partBytes) return undefined
      if (Atomics.compareExchange(this.#words, at, filled, filled + size) === filled) return filled
    }
  }

  /** Enters a list into the directory of its part. If it is not entered, only this thread knows it. */
  #publish(part: number, key: ListKey, place: number): void {
    const words = this.#words
    const directory = this.#directoryOf(part)
    const slot = slotOf(key)
    for (let i = 0; i < PROBES; i++) {
      const entry = directory + ((slot + i) & (this.#entries - 1)) * ENTRY_WORDS
      if (Atomics.compareExchange(words, entry, FREE, CLAIMED) !== FREE) continue
      words.set([key.segment, key.stream, key.at, Math.floor(key.at / 2 ** 32), place], entry + 1)
      Atomics.store(words, entry, PUBLISHED)
      return
    }
  }

  /** Makes the part after this one the current one. Returns false if a thread may still read what lies in it. */
  #advance(part: number): boolean {
    const words = this.#words
    const lock = this.#control + LOCK
    if (Atomics.compareExchange(words, lock, 0, this.#thread + 1) !== 0) return false
    try {
      if (this.#current !== part) return true
      // The lists that lie in the next part became unreadable when this part became the current one.
      for (let thread = 0; thread < this.#layout.threads; thread++) {
        const announced = Atomics.load(words, this.#control + ANNOUNCED + thread)
        if (announced !== 0 && announced < part) return false
      }
      const directory = this.#directoryOf(part + 1)
      words.fill(0, directory, directory + this.#entries * ENTRY_WORDS)
      Atomics.store(words, this.#control + FILLED + ((part + 1) % PARTS), 0)
      Atomics.store(words, this.#control + CURRENT, part + 1)
      return true
    } finally {
      Atomics.store(words, lock, 0)
    }
  }
}

function slotOf({ segment, stream, at }: ListKey): number {
  const hash = Math.imul(Math.imul(at, 8) + stream, 0x9e3779b1) ^ Math.imul(segment, 0x85ebca6b)
  return hash ^ (hash >>> 15)
}

/** A power of two. */
function entriesOf(partBytes: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(PROBES, partBytes / BYTES_PER_ENTRY)))
}

/** Rounded up, so that the directories and parts begin at addresses that fit every allocation. */
function controlWords(threads: number): number {
  return Arena.sizeOf(4 * (ANNOUNCED + threads)) / 4
}
