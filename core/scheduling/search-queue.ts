import { setImmediate } from 'node:timers/promises'
import { fnv1a } from '../bytes/fnv1a.ts'
import type { SearchAnswer } from '../engine.ts'
import { AsofError } from '../errors.ts'
import { hasRange } from '../fields/field-filter.ts'
import type { ParsedSearch } from '../search/parse-search.ts'
import { SearchAbandoned } from '../search/postings/search-time.ts'
import { maxWordCount } from '../search/query/word-bound.ts'
import { type ResolvedSearch, resolveSearch } from '../search/resolve-search.ts'
import type { Snapshots } from '../store/snapshots/snapshots.ts'
import { ThreadEnd } from './search-thread.ts'
import type { SearchThreads } from './search-threads.ts'
import type { Searcher } from './snapshot-search.ts'

/** Share of the calling thread's time that may be used for searches in place, which run on the calling thread. */
const IN_PLACE_SHARE = 0.1
/** Time that searches in place may use beyond {@link IN_PLACE_SHARE}, milliseconds. */
const IN_PLACE_BURST_MS = 50
/** A chain of searches yields to the event loop after this time, milliseconds. In a chain each search is awaited before the next. */
const CHAIN_MS = 10
/** Maximum time that counts for one search, milliseconds. A slow first search on a cold index does not mean a high load. */
const MOST_COUNTED_MS = 10
/** A thread without searches ends after this time, milliseconds, because it keeps replaced segments in memory. */
const IDLE_MS = 60_000
/** Maximum number of searches that a thread has at a time: the running one and the next, so that it never waits for one. */
const DEPTH = 2
/**
 * Number of waiting searches among which a thread looks for one that prefers it. The thread may have answered a search with the same text
 * before, so that its caches have what this one reads.
 */
const LOOKAHEAD = 16
/** Number of times that a search may be running when its thread ends. It is retried once, because it may not be the cause. */
const MAX_THREAD_ENDS = 2

/**
 * A search with more words than this, or with a filter on ranges, always goes to the search threads, unless the index is so small that
 * every search is fast.
 */
const MOST_WORDS_IN_PLACE = 16
const SMALL_INDEX_CAPTURES = 10_000
/**
 * Maximum processor time of a search in place, milliseconds. After that it is abandoned and answered on a thread. So no search blocks the
 * calling thread for longer, whatever makes it slow.
 */
const MOST_IN_PLACE_MS = 100

interface Resolved {
  request: ResolvedSearch
  instant: number | undefined
}

export interface SearchQueueOptions {
  /** If undefined, every search is answered in place. */
  threads?: SearchThreads
  /** True if threads answer from the first search on. False if they start only when searches in place use too much time. */
  eager: boolean
  snapshots: Pick<Snapshots, 'read' | 'captures' | 'clearCaches'>
  /** Answers searches in place. */
  searcher: Searcher
  /** Threads end after this long without a search; milliseconds. Default 60,000. */
  idleMs?: number
}

/** Adds what was computed while a checked request waited, such as the vector of the query. */
export type Completion = (request: ResolvedSearch) => ResolvedSearch

interface Waiting {
  parsed: ParsedSearch
  complete: Completion
  /** The slot of the preferred thread. Searches with the same text prefer the same thread. */
  slot: number
  /** Number of later searches that were started before this one. */
  passedOver: number
  threadEnds: number
  resolve: (answer: SearchAnswer) => void
  reject: (error: unknown) => void
}

/**
 * Decides where a search is answered. Few searches are answered in place, on the calling thread, because that is the fastest for each of
 * them. When they use too much of the calling thread's time, the search threads start and answer the searches. A chain of searches delays
 * nothing else and stays in place.
 */
export class SearchQueue {
  readonly #options: SearchQueueOptions
  readonly #waiting: Waiting[] = []
  /** Searches that run or wait on threads. */
  readonly #underWay = new Set<Promise<void>>()
  /** Number of searches that run or wait on each thread. */
  readonly #underWayAt: number[]
  /** Time that searches in place used beyond their share, milliseconds. */
  #excessMs = 0
  /** When {@link #excessMs} was last computed, by the monotonic clock. */
  #countedAtMs = 0
  /** Number of searches in place without an answer. */
  #inPlaceNow = 0
  #isInChain = false
  #chainFromMs = 0
  #idle: NodeJS.Timeout | undefined
  #onThreads: boolean
  #closed = false

  constructor(options: SearchQueueOptions) {
    this.#options = options
    this.#onThreads = options.eager
    this.#underWayAt = Array.from({ length: options.threads?.count ?? 0 }, () => 0)
  }

  /** See `Engine.search`. */
  search(parsed: ParsedSearch, complete: Completion = request => request): Promise<SearchAnswer> {
    const { threads } = this.#options
    if (!threads) return this.#inPlace(parsed, complete)
    // Threads take longer to start than a short search takes, so short searches do not wait for them.
    const isStarting = !this.#options.eager && threads.areStarting
    if (!this.#onThreads || isStarting || this.#isOvertaking()) {
      if (!this.#takesLong(parsed)) return this.#inPlaceAtFirst(parsed, complete, threads)
      this.#onThreads = true
    }
    return this.#queued(parsed, complete, threads)
  }

  /**
   * True if every thread is busy and searches in place have used less than their share of the calling thread's time. A short search then
   * runs in place, so that it does not wait for long ones.
   */
  #isOvertaking(): boolean {
    return !this.#options.eager && Math.min(...this.#underWayAt) > 0 && this.#excessAt(performance.now()) === 0
  }

  #queued(parsed: ParsedSearch, complete: Completion, threads: SearchThreads): Promise<SearchAnswer> {
    return new Promise((resolve, reject) => {
      const slot = hashOf(parsed.text) % threads.count
      this.#waiting.push({ parsed, complete, slot, passedOver: 0, threadEnds: 0, resolve, reject })
      this.#begin(threads)
    })
  }

  /** Answers a search in place, or on a thread if that takes too long. */
  async #inPlaceAtFirst(parsed: ParsedSearch, complete: Completion, threads: SearchThreads): Promise<SearchAnswer> {
    try {
      return await this.#inPlace(parsed, complete, MOST_IN_PLACE_MS)
    } catch (error) {
      if (!(error instanceof SearchAbandoned)) throw error
      this.#onThreads = true
      return this.#queued(parsed, complete, threads)
    }
  }

  /** True if a search may block the calling thread for long. */
  #takesLong({ text, syntax, filter }: ParsedSearch): boolean {
    const isLong =
      maxWordCount(text) > MOST_WORDS_IN_PLACE ||
      ('tree' in syntax && /[*~]/.test(text)) ||
      (filter !== undefined && hasRange(filter))
    return isLong && this.#options.snapshots.captures >= SMALL_INDEX_CAPTURES
  }

  /** Rejects waiting searches, waits for the running ones, and stops the threads. */
  async close(): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closedError())
    await Promise.all(this.#underWay)
    await this.#options.threads?.stop()
    clearTimeout(this.#idle)
  }

  /** @param mostMs - throws {@link SearchAbandoned} after this processor time, milliseconds. */
  async #inPlace(parsed: ParsedSearch, complete: Completion, mostMs?: number): Promise<SearchAnswer> {
    const isChained = this.#isInChain && this.#inPlaceNow === 0
    this.#inPlaceNow++
    try {
      if (this.#isInChain && performance.now() - this.#chainFromMs > CHAIN_MS) await setImmediate()
      this.#continueChain()
      return await this.#options.snapshots.read(
        requestAt => resolvedAt({ parsed, complete }, requestAt),
        ({ request }, snapshot) => {
          if (this.#closed) throw closedError()
          const beganMs = performance.now()
          try {
            return this.#options.searcher.answer(request, snapshot, mostMs)
          } finally {
            if (!isChained) this.#count(beganMs, performance.now())
          }
        },
      )
    } finally {
      this.#inPlaceNow--
    }
  }

  /**
   * Counts the time of a chain of searches. The searches of a chain run in microtasks within one turn of the event loop, and `nextTick` runs
   * only after the last of them. A chain that yields in time delays nothing else, so it needs no thread.
   */
  #continueChain(): void {
    if (this.#isInChain) return
    this.#isInChain = true
    this.#chainFromMs = performance.now()
    process.nextTick(() => {
      this.#isInChain = false
    })
  }

  #count(beganMs: number, endedMs: number): void {
    this.#excessMs = this.#excessAt(beganMs) + Math.min(endedMs - beganMs, MOST_COUNTED_MS)
    this.#countedAtMs = endedMs
    if (this.#excessMs > IN_PLACE_BURST_MS && this.#options.threads) this.#onThreads = true
  }

  #excessAt(nowMs: number): number {
    return Math.max(0, this.#excessMs - (nowMs - this.#countedAtMs) * IN_PLACE_SHARE)
  }

  #begin(threads: SearchThreads): void {
    for (let slot = this.#idlest(); slot >= 0; slot = this.#idlest()) {
      const search = this.#take(slot)
      if (!search) return
      this.#underWayAt[slot]!++
      const done = this.#onThread(search, slot, threads).finally(() => {
        this.#underWay.delete(done)
        this.#underWayAt[slot]!--
        this.#begin(threads)
      })
      this.#underWay.add(done)
    }
  }

  /** Returns the slot of the thread with the fewest searches, if possible the one that the first waiting search prefers; -1 if all are full. */
  #idlest(): number {
    const least = Math.min(...this.#underWayAt)
    if (least >= DEPTH) return -1
    const wanted = this.#waiting[0]?.slot ?? 0
    return this.#underWayAt[wanted] === least ? wanted : this.#underWayAt.indexOf(least)
  }

  /** Removes the search that a thread should run next from the queue, and returns it. */
  #take(slot: number): Waiting | undefined {
    const [first] = this.#waiting
    if (!first || first.slot === slot || first.passedOver === LOOKAHEAD) return this.#waiting.shift()
    const at = this.#waiting.slice(0, LOOKAHEAD).findIndex(search => search.slot === slot)
    if (at < 0) return this.#waiting.shift()
    first.passedOver++
    return this.#waiting.splice(at, 1)[0]
  }

  async #onThread(search: Waiting, slot: number, threads: SearchThreads): Promise<void> {
    try {
      const answer = await this.#options.snapshots.read(
        requestAt => resolvedAt(search, requestAt),
        ({ request }, snapshot) => {
          if (this.#closed) throw closedError()
          // Threads start here and not earlier, because no thread may open the store during a recovery.
          if (threads.start()) this.#options.snapshots.clearCaches()
          this.#stopWhenIdle(threads)
          return (
            threads.ask(slot, { request, instant: snapshot.instant }) ??
            this.#options.searcher.answer(request, snapshot)
          )
        },
      )
      search.resolve(answer)
    } catch (error) {
      if (!(error instanceof ThreadEnd)) return search.reject(error)
      if (error.wasRunning) search.threadEnds++
      if (search.threadEnds < MAX_THREAD_ENDS) this.#waiting.unshift(search)
      else
        search.reject(
          new AsofError('ASOF_SEARCH_FAILED', 'the search ended every thread that ran it', { cause: error }),
        )
    }
  }

  #stopWhenIdle(threads: SearchThreads): void {
    if (this.#idle) {
      this.#idle.refresh()
      return
    }
    this.#idle = setTimeout(() => {
      if (this.#underWay.size > 0) {
        this.#idle?.refresh()
        return
      }
      this.#onThreads = this.#options.eager
      this.#excessMs = 0
      // Later searches are answered in place, or start new threads.
      void threads.stop()
    }, this.#options.idleMs ?? IDLE_MS).unref()
  }
}

function resolvedAt({ parsed, complete }: Pick<Waiting, 'parsed' | 'complete'>, requestAt: number): Resolved {
  const request = complete(resolveSearch(parsed, requestAt))
  return { request, instant: request.times.instant }
}

function closedError(): AsofError {
  return new AsofError('ASOF_CLOSED', 'the engine is closed')
}

function hashOf(text: string): number {
  return fnv1a(Buffer.from(text)) >>> 0
}
