import { AsofError } from '@asof/extract/errors'
import { WebAssembly } from '../bytes/web-assembly.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import { isValid } from '../postings/segment-view.ts'
import { Arena, KERNEL_BYTES } from '../segment/arena.ts'
import { WINDOW } from '../segment/postings/window-impacts.ts'
import { compileKernel, type KernelImports } from './load-kernel.ts'
import { bytesOfQuery, QueryRecord } from './query-record.ts'
import { compareHits, type Hit } from './top-hits.ts'
import { base64 } from './topk.generated.ts'
import type { TopKQuery } from './topk-query.ts'
import { base64 as sharedBase64, variableBytes } from './topk-shared.generated.ts'
import type { WindowBits } from './window-bits.ts'

/** What topk.c exports. */
interface TopKExports {
  /** Undefined in a shared memory, where the variables end {@link SHARED_VARIABLES_END} bytes after the base of the arena. */
  readonly __heap_base?: { readonly value: number }
  /** Returns the number of hits. */
  search(query: number): number
  /** Returns a number of captures. */
  countUndated(query: number, limit: number): number
  /** Address of the hits, best first. */
  hits(): number
  /** Address of the indexes, in the required lists, of the capture that `matches` is asked about. */
  tested(): number
  /** Address of the bits that `fill` sets. */
  conditionBits(): number
}

/** Number of captures that are tested between two checks of the search time. */
const BETWEEN_CHECKS = 64
/** Size of a hit in the kernel, in words. */
const HIT_WORDS = 3

/** The query between two searches. It lets the memory of the last query be freed. */
const noQuery: TopKQuery = { k: 0, views: [], averageLength: 0, urlOf: () => '' }

/** The modules for a memory of this thread and for a shared one, compiled once; null where WebAssembly has no SIMD. */
let compiled: object | null | undefined
let compiledShared: object | null | undefined

/** In a shared memory, the stack of a kernel comes before its variables. The stack grows downwards. */
const STACK_BYTES = 64 * 1024
const SHARED_VARIABLES_END = STACK_BYTES + variableBytes

/**
 * Size of the arena for queries whose lists do not all fit into the cache, bytes. It is kept for further queries, because opening an arena
 * takes some milliseconds. A larger arena is not kept. Pages that are never written take no physical memory.
 */
const SPARE_BYTES = 16 * 1024 * 1024
let spare: TopKKernel | undefined

/** The kernel of each arena. It is freed together with its arena. */
const kernels = new WeakMap<Arena, TopKKernel>()

/**
 * Answers queries by topk.c over the lists of one arena. Answers equal those of `scoreEveryMatch`. The kernel calls back
 * for all that is not lists and columns: conditions, boosts, ties, and the check of the search time.
 */
export class TopKKernel {
  readonly arena: Arena
  readonly #module: object
  readonly #record: QueryRecord
  readonly #hitsAt: number
  readonly #testedAt: number
  readonly #conditionBits: WindowBits
  #exports: TopKExports
  /** Number of captures that were tested. */
  #tested = 0
  /** The query that is being answered. */
  #query: TopKQuery = noQuery

  private constructor(arena: Arena, module: object) {
    this.arena = arena
    this.#module = module
    this.#exports = this.#instantiate()
    const variablesEnd = this.#exports.__heap_base?.value ?? arena.base + SHARED_VARIABLES_END
    this.#record = new QueryRecord(arena, Math.ceil(variablesEnd / 16) * 16, arena.base + KERNEL_BYTES)
    this.#hitsAt = this.#exports.hits()
    this.#testedAt = this.#exports.tested() / 4
    this.#conditionBits = new Uint32Array(arena.memory.buffer, this.#exports.conditionBits(), WINDOW / 32)
  }

  /** Returns the kernel of an arena; undefined where WebAssembly has no SIMD. */
  static over(arena: Arena): TopKKernel | undefined {
    let kernel = kernels.get(arena)
    if (kernel) return kernel
    const module = isShared(arena) ? sharedModule() : ownModule()
    if (!module) return undefined
    kernel = new TopKKernel(arena, module)
    kernels.set(arena, kernel)
    return kernel
  }

  /**
   * Returns a kernel whose arena has room for copies of all data that a query reads. It may be used for this query only.
   *
   * @returns undefined where WebAssembly has no SIMD or gets no memory, or if the query is too large for the kernel.
   */
  static forOne(query: TopKQuery): TopKKernel | undefined {
    const bytes = bytesOfQuery(query)
    if (bytes === undefined) return undefined
    if (bytes > SPARE_BYTES) return TopKKernel.#overNew(bytes)
    spare ??= TopKKernel.#overNew(SPARE_BYTES)
    spare?.arena.reclaim()
    return spare
  }

  static #overNew(bytes: number): TopKKernel | undefined {
    const arena = Arena.open(bytes)
    return arena && TopKKernel.over(arena)
  }

  /**
   * Finds the k best captures, best first.
   *
   * @returns undefined if the kernel cannot answer: its arena has no room for all lists, or the query is too large for it.
   * @throws ASOF_STORE_CORRUPT - a list is damaged.
   */
  search(query: TopKQuery): Hit[] | undefined {
    return this.#run(query, at => this.#read(this.#exports.search(at)))
  }

  /**
   * Counts, up to a limit, the captures that do not match only because they have no publish date.
   *
   * @param query - with a window of publish dates.
   * @returns undefined if the kernel cannot count them: for the reasons of {@link search}, or because a view has a condition or a
   *   required list.
   * @throws ASOF_STORE_CORRUPT - a list is damaged.
   */
  countUndated(query: TopKQuery, limit: number): number | undefined {
    if (query.views.some(({ lists, condition }) => condition || lists.some(({ required }) => required)))
      return undefined
    return this.#run(query, at => this.#exports.countUndated(at, limit))
  }

  #run<T>(query: TopKQuery, work: (at: number) => T): T | undefined {
    const at = this.#record.write(query)
    if (at === undefined) return undefined
    this.#query = query
    try {
      return work(at)
    } catch (error) {
      // The search ended halfway, so its scores and its stack are still in the memory of the kernel.
      this.arena.octets.fill(0, this.arena.base, this.arena.base + KERNEL_BYTES)
      this.#exports = this.#instantiate()
      if (WebAssembly && error instanceof WebAssembly.RuntimeError)
        throw new AsofError('ASOF_STORE_CORRUPT', 'a posting list does not fit its segment', { cause: error })
      throw error
    } finally {
      this.#query = noQuery
    }
  }

  #read(count: number): Hit[] {
    const { words } = this.arena
    const hits: Hit[] = []
    for (let i = 0, at = this.#hitsAt / 4; i < count; i++, at += HIT_WORDS)
      hits.push({ segment: this.#query.views[words[at + 1]!]!.segment, ordinal: words[at + 2]!, score: words[at]! })
    return hits
  }

  #instantiate(): TopKExports {
    if (!WebAssembly) throw new TypeError('an arena without WebAssembly')
    const topk: KernelImports = {
      fill: (view, window) => {
        checkSearchTime()
        this.#query.views[view!]!.condition!.fill(window! * WINDOW, this.#conditionBits)
      },
      matches: (view, ordinal) => (this.#matches(view!, ordinal!) ? 1 : 0),
      positionBlock: (view, use, block, at, most) => this.#record.copyPositions(view!, use!, block!, at!, most!),
      isCurrent: (view, ordinal) => (isValid(this.#query.views[view!]!, ordinal!, undefined) ? 1 : 0),
      maxBoost: (view, window) => this.#query.views[view!]!.boost!.most(window!),
      boost: (view, ordinal) => this.#query.views[view!]!.boost!.of(ordinal!),
      isNewer: (view, ordinal, otherView, other) => {
        const { views } = this.#query
        const at = views[view!]!.segment.columns.acquiredAt[ordinal!]!
        return at > views[otherView!]!.segment.columns.acquiredAt[other!]! ? 1 : 0
      },
      goesBefore: (view, ordinal, otherView, other) => {
        const { views, urlOf } = this.#query
        const a = { segment: views[view!]!.segment, ordinal: ordinal!, score: 0 }
        const b = { segment: views[otherView!]!.segment, ordinal: other!, score: 0 }
        return compareHits(a, b, urlOf) < 0 ? 1 : 0
      },
      checkTime: checkSearchTime,
      damaged: () => {
        throw new AsofError('ASOF_STORE_CORRUPT', 'a posting list or its positions contradict themselves')
      },
    }
    const { memory } = this.arena
    const env = isShared(this.arena) ? { memory, ...positionAt(this.arena.base) } : { memory }
    const { exports } = new WebAssembly.Instance(this.#module, { env, topk })
    return exports as TopKExports
  }

  #matches(view: number, ordinal: number): boolean {
    if (++this.#tested % BETWEEN_CHECKS === 0) checkSearchTime()
    const asked = this.#query.views[view]!
    const cursors = this.#record.cursors[view]!
    for (let l = 0; l < cursors.length; l++) cursors[l]!.moveTo(ordinal, this.arena.words[this.#testedAt + l]!)
    return isValid(asked, ordinal, asked.published) && asked.condition?.matches(ordinal) !== false
  }
}

function isShared({ memory }: Arena): boolean {
  return memory.buffer instanceof SharedArrayBuffer
}

function ownModule(): object | null {
  if (compiled === undefined) compiled = compileKernel(base64) ?? null
  return compiled
}

function sharedModule(): object | null {
  if (compiledShared === undefined) compiledShared = compileKernel(sharedBase64) ?? null
  return compiledShared
}

/** What a position-independent module imports: where its stack and its variables begin. The kernel calls no function by its index. */
function positionAt(base: number): Record<string, object> {
  if (!WebAssembly) throw new TypeError('an arena without WebAssembly')
  const { Global, Table } = WebAssembly
  return {
    __stack_pointer: new Global({ value: 'i32', mutable: true }, base + STACK_BYTES),
    __memory_base: new Global({ value: 'i32', mutable: false }, base + STACK_BYTES),
    __table_base: new Global({ value: 'i32', mutable: false }, 0),
    __indirect_function_table: new Table({ initial: 0, element: 'anyfunc' }),
  }
}
