import { lowerBound } from '../bytes/binary-search.ts'
import { type KernelMemory, WebAssembly } from '../bytes/web-assembly.ts'

/** Bytes at the beginning of an arena that belong to the kernel: its variables, and the query that it answers. */
export const KERNEL_BYTES = 1024 * 1024
const PAGE_BYTES = 64 * 1024
/** WebAssembly has 32-bit addresses. */
const MAX_PAGES = 2 ** 16
/** Every allocation begins and ends at a multiple of this number of bytes, to which the widest reads of a kernel are aligned. */
const GRAIN_BYTES = 128
/** Large allocations come from the end of the memory, small ones from its beginning, so that small ones do not lie between large ones. */
const LARGE_BYTES = 64 * 1024

/** Allocated memory. */
export interface Allocation {
  arena: Arena
  /** The address, divisible by 16. */
  at: number
}

/**
 * The memory that a kernel searches: allocations of one fixed-size WebAssembly memory, or of a part of it, which TypeScript reads through typed
 * arrays. It never grows, because growing would detach them. A page of it takes physical memory once it is written to.
 */
export class Arena {
  readonly memory: KernelMemory
  readonly words: Uint32Array
  readonly octets: Uint8Array
  /** The address at which the bytes of the kernel begin. */
  readonly base: number
  /** Number of bytes that all allocations together can take. */
  readonly bytes: number
  /** The free runs by ascending address; no two are adjacent. */
  readonly #starts: number[]
  readonly #ends: number[]
  #released: { at: number; bytes: number }[] = []

  private constructor(memory: KernelMemory, base: number, bytes: number) {
    this.memory = memory
    this.base = base
    this.bytes = bytes
    this.words = new Uint32Array(memory.buffer)
    this.octets = new Uint8Array(memory.buffer)
    this.#starts = [base + KERNEL_BYTES]
    this.#ends = [base + KERNEL_BYTES + bytes]
  }

  /**
   * @param bytes - room for allocations.
   * @returns undefined where WebAssembly is missing, or if there is not enough address space.
   */
  static open(bytes: number): Arena | undefined {
    const memory = Arena.memoryOf(Arena.roomFor(bytes), false)
    return memory && new Arena(memory, 0, Arena.sizeOf(bytes))
  }

  /** Makes an arena of a part of a memory, and clears what a kernel has left there. @param bytes - from {@link roomFor}. */
  static within(memory: KernelMemory, base: number, bytes: number): Arena {
    const arena = new Arena(memory, base, bytes - KERNEL_BYTES)
    arena.octets.fill(0, base, base + KERNEL_BYTES)
    return arena
  }

  /** The number of bytes of a memory that an arena with room for allocations takes. */
  static roomFor(bytes: number): number {
    return Math.ceil((KERNEL_BYTES + Arena.sizeOf(bytes)) / PAGE_BYTES) * PAGE_BYTES
  }

  /** Returns a new memory; undefined where WebAssembly is missing, or if there is not enough address space. */
  static memoryOf(bytes: number, shared: boolean): KernelMemory | undefined {
    if (!WebAssembly) return undefined
    const pages = Math.ceil(bytes / PAGE_BYTES)
    if (pages > MAX_PAGES) return undefined
    try {
      return new WebAssembly.Memory({ initial: pages, maximum: pages, shared })
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }

  /** The number of bytes that an allocation of this size takes. An empty one takes some too, so that all allocations have different addresses. */
  static sizeOf(bytes: number): number {
    return Math.max(1, Math.ceil(bytes / GRAIN_BYTES)) * GRAIN_BYTES
  }

  /** The size of the largest allocation that there is room for, bytes. */
  get largestRun(): number {
    return this.#starts.reduce((most, start, run) => Math.max(most, this.#ends[run]! - start), 0)
  }

  /** Allocates memory, which is not zeroed. Returns undefined if there is no room. */
  allocate(bytes: number): Allocation | undefined {
    const size = Arena.sizeOf(bytes)
    const starts = this.#starts
    const ends = this.#ends
    const isLarge = size >= LARGE_BYTES
    for (let i = 0; i < starts.length; i++) {
      const run = isLarge ? starts.length - 1 - i : i
      const start = starts[run]!
      const end = ends[run]!
      if (end - start < size) continue
      if (isLarge) ends[run] = end - size
      else starts[run] = start + size
      if (starts[run] === ends[run]) {
        starts.splice(run, 1)
        ends.splice(run, 1)
      }
      return { arena: this, at: isLarge ? end - size : start }
    }
    return undefined
  }

  /** Releases an allocation. It stays readable until {@link reclaim}. @param bytes - as in {@link allocate}. */
  release(at: number, bytes: number): void {
    this.#released.push({ at, bytes })
  }

  /** Frees the released allocations. Called between searches, when nothing reads them any more. */
  reclaim(): void {
    if (this.#released.length === 0) return
    for (const { at, bytes } of this.#released) this.#free(at, at + Arena.sizeOf(bytes))
    this.#released = []
  }

  #free(start: number, end: number): void {
    const starts = this.#starts
    const ends = this.#ends
    const next = lowerBound(starts, starts.length, start)
    const joinsBefore = next > 0 && ends[next - 1] === start
    const joinsNext = next < starts.length && starts[next] === end
    if (joinsBefore && joinsNext) {
      ends[next - 1] = ends[next]!
      starts.splice(next, 1)
      ends.splice(next, 1)
    } else if (joinsBefore) ends[next - 1] = end
    else if (joinsNext) starts[next] = start
    else {
      starts.splice(next, 0, start)
      ends.splice(next, 0, end)
    }
  }
}
