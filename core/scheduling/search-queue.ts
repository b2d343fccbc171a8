import { setImmediate } from 'node:timers/promises'
import { AsofError } from '@asof/extract/errors'
import { fnv1a } from '../bytes/fnv1a.ts'
import { hasRange } from '../fields/field-filter.ts'
import { SearchAbandoned } from '../postings/search-time.ts'
import type { ParsedSearch } from '../search/parse-search.ts'
import { maxWordCount } from '../search/query/word-bound.ts'
import type { ResolvedSearch } from '../search/resolve-search.ts'
import type { SearchAnswer } from '../search/search-answer.ts'
import type { UntimedSearch } from '../search/untimed-search.ts'
import type { SnapshotReads, Snapshots } from '../store/snapshots/snapshots.ts'
import type { CollectedTitles } from '../suggest/suggester.ts'
import { CALLING_THREAD_SHARE } from './cache-budget.ts'
import { ThreadEnd } from './search-thread.ts'
import type { SearchThreads } from './search-threads.ts'
import type { Searcher } from './snapshot-search.ts'

/** Share of the calling thread's time that searches on this thread may use. Such searches are called in place. */
const IN_PLACE_SHARE = 0.1
/** Time that searches in place may use beyond their share, milliseconds. */
const IN_PLACE_BURST_MS = 50
/**
 * Time after which a chain of searches yields to the event loop, milliseconds. A chain is a sequence of searches, each
 * started when the one before is answered.
 */
const CHAIN_MS = 10
/**
 * Maximum time that is counted for one search, milliseconds. The first search on a cold index is slow, but is no sign
 * of a high load.
 */
const MAX_COUNTED_MS = 10
/**
 * Time after which a thread without searches ends, milliseconds. An idle thread must end, because it keeps replaced
 * segments in memory.
 */
const IDLE_MS = 60_000
/** Maximum number of searches that are sent to a thread: the running one, and the next one, so that the thread never waits. */
const DEPTH = 2
/**
 * Number of waiting searches among which a thread looks for one with a text that it was sent before. The thread's
 * caches may have what such a search reads.
 */
const LOOKAHEAD = 16
/**
 * A search fails when this many threads have ended unexpectedly while they ran it. After the first one it is retried,
 * because something else may have ended the thread.
 */
const MAX_THREAD_ENDS = 2

/**
 * Number of words above which a search always runs on a search thread. The same holds for a search with patterns (such as one that
 * is still typed), a filter on ranges, an order by value, or facets. In a small index every search is fast and may run in place.
 */
const MAX_WORDS_IN_PLACE = 16
const SMALL_INDEX_CAPTURES = 1_000
/**
 * Maximum processor time of a search in place, milliseconds. After that it is abandoned and answered by a thread, so
 * that the calling thread is not blocked for longer.
 */
const MAX_IN_PLACE_MS = 100

interface Resolved {
  request: ResolvedSearch
  asOf: number | undefined
}

export interface SearchQueueOptions {
  /** The search threads. Undefined if every search runs in place. */
  threads?: SearchThreads
  /** True if threads answer every search. False if threads start only when searches in place use too much time. */
  eager: boolean
  snapshots: Pick<Snapshots, 'captures' | 'clearCaches'>
  /** Answers searches in place, on the calling thread. */
  searcher: Searcher
  /** Time without a search after which threads end, milliseconds. Default 60,000. */
  idleMs?: number
}

/** A search that was not answered yet. */
interface Asked {
  request: UntimedSearch
  /** The reads of the engine on which `search` was called, which may be sealed. */
  reads: Pick<SnapshotReads, 'read'>
}

interface Waiting extends Asked {
  /** The slot of the preferred thread. Searches with the same text prefer the same thread. */
  slot: number
  /** Number of later searches that were started before this one. */
  passedOver: number
  threadEnds: number
  resolve: (answer: SearchAnswer) => void
  reject: (error: unknown) => void
}

/**
 * Decides where a search runs. Under low load searches run in place, on the calling thread, which is the fastest way.
 * When they use too much of its time, search threads start and answer the searches. A chain of awaited searches delays
 * nothing else and stays in place.
 */
export class SearchQueue {
  readonly #options: SearchQueueOptions
  readonly #waiting: Waiting[] = []
  /** Searches and other work that threads have not finished. Each resolves when it ends, also by an error. */
  readonly #underWay = new Set<Promise<void>>()
  /** For each thread, by slot, how many of the items of {@link #underWay} it has. */
  readonly #underWayAt: number[]
  /** Time that searches in place used beyond their share, milliseconds. */
  #excessMs = 0
  /** When {@link #excessMs} was last computed, on a monotonic clock, milliseconds. */
  #countedAtMs = 0
  /** Number of searches in place that have no answer yet. */
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

  /** Answers a search in place or on a thread, see `Engine.search`. */
  search(request: UntimedSearch, reads: Pick<SnapshotReads, 'read'>): Promise<SearchAnswer> {
    const asked = { request, reads }
    const { threads } = this.#options
    if (!threads) return this.#inPlace(asked)
    if (this.#mayRunInPlace(threads)) {
      if (!this.#takesLong(request.parsed)) return this.#inPlaceAtFirst(asked, threads)
      this.#onThreads = true
    }
    return this.#queued(asked, threads)
  }

  /**
   * True if a search may run in place. Once threads answer, it may only if the threads are starting or all are busy, and if the searches
   * in place have not used up their share of time. So a short search waits neither for a thread to start nor behind long searches.
   */
  #mayRunInPlace({ areStarting }: SearchThreads): boolean {
    if (!this.#onThreads) return true
    if (this.#options.eager) return false
    return (areStarting || Math.min(...this.#underWayAt) > 0) && this.#excessAt(performance.now()) === 0
  }

  #queued(asked: Asked, threads: SearchThreads): Promise<SearchAnswer> {
    return new Promise((resolve, reject) => {
      const slot = hashOf(asked.request.parsed.text) % threads.count
      this.#waiting.push({ ...asked, slot, passedOver: 0, threadEnds: 0, resolve, reject })
      this.#begin(threads)
    })
  }

  /** Answers a search in place. If it takes too long there, or may no longer run there when its turn comes, a thread answers it. */
  async #inPlaceAtFirst(asked: Asked, threads: SearchThreads): Promise<SearchAnswer> {
    try {
      return await this.#inPlace(asked, MAX_IN_PLACE_MS, () => !this.#mayRunInPlace(threads))
    } catch (error) {
      if (!(error instanceof SearchAbandoned)) throw error
      this.#onThreads = true
      return this.#queued(asked, threads)
    }
  }

  /**
   * Collects titles for suggestions on the search thread with the fewest searches.
   *
   * @param asOf - epoch ms. Undefined means now.
   * @returns undefined if the caller has to collect them: there are no threads, the thread ended, or the index is so small that it takes
   *   longer to start a thread.
   */
  async collectTitles(
    reads: Pick<SnapshotReads, 'read'>,
    asOf: number | undefined,
  ): Promise<CollectedTitles | undefined> {
    const { threads, snapshots } = this.#options
    if (!threads || snapshots.captures < SMALL_INDEX_CAPTURES) return undefined
    this.#onThreads = true
    const slot = this.#underWayAt.indexOf(Math.min(...this.#underWayAt))
    try {
      return await this.#occupy(slot, threads, () =>
        reads.read(
          () => ({ asOf }),
          async (_, { catalog, instant }) => {
            this.#startThreads(threads)
            const titles = await threads.titles(slot, instant)
            return titles && { generation: catalog.manifest.generation, titles }
          },
        ),
      )
    } catch (error) {
      if (error instanceof ThreadEnd) return undefined
      throw error
    }
  }

  /** True if a search may block the calling thread for too long. */
  #takesLong({ text, asked, filter, listing }: ParsedSearch): boolean {
    const isLong =
      maxWordCount(text) > MAX_WORDS_IN_PLACE ||
      asked.kind === 'typed' ||
      (asked.kind === 'webql' && /[*~]/.test(text)) ||
      (listing !== undefined && (listing.sort !== undefined || listing.facets.length > 0)) ||
      (filter !== undefined && hasRange(filter))
    return isLong && this.#options.snapshots.captures >= SMALL_INDEX_CAPTURES
  }

  /** Rejects waiting searches, lets running ones finish, and stops the threads. */
  async close(): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closedError())
    await Promise.all(this.#underWay)
    await this.#options.threads?.stop()
    clearTimeout(this.#idle)
  }

  /**
   * Answers a search on the calling thread.
   *
   * @param mostMs - processor time after which the search is abandoned, milliseconds.
   * @param isUnwanted - called when the turn of the search comes. Returns true if it must not run here any more: hundreds may be waiting.
   * @throws SearchAbandoned
   */
  async #inPlace(asked: Asked, mostMs?: number, isUnwanted = () => false): Promise<SearchAnswer> {
    const isChained = this.#isInChain && this.#inPlaceNow === 0
    this.#inPlaceNow++
    try {
      if (this.#isInChain && performance.now() - this.#chainFromMs > CHAIN_MS) await setImmediate()
      this.#continueChain()
      return await asked.reads.read(
        requestedAt => resolvedAt(asked, requestedAt),
        ({ request }, snapshot) => {
          if (this.#closed) throw closedError()
          if (isUnwanted()) throw new SearchAbandoned()
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
   * Measures the time of a chain of searches. Its searches run in microtasks within one turn of the event loop, and
   * `nextTick` runs after the last of them.
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
    this.#excessMs = this.#excessAt(beganMs) + Math.min(endedMs - beganMs, MAX_COUNTED_MS)
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
      void this.#occupy(slot, threads, () => this.#onThread(search, slot, threads))
    }
  }

  /** Runs work for a thread, and counts it as under way on the thread until it ends. Then begins the next searches. */
  async #occupy<T>(slot: number, threads: SearchThreads, work: () => Promise<T>): Promise<T> {
    const { promise: done, resolve } = Promise.withResolvers<void>()
    this.#underWay.add(done)
    this.#underWayAt[slot]!++
    try {
      return await work()
    } finally {
      this.#underWay.delete(done)
      this.#underWayAt[slot]!--
      resolve()
      this.#begin(threads)
    }
  }

  /**
   * Returns the slot of a thread with the fewest searches; −1 if all are full. If possible, it is the slot that the
   * first waiting search prefers.
   */
  #idlest(): number {
    const least = Math.min(...this.#underWayAt)
    if (least >= DEPTH) return -1
    const wanted = this.#waiting[0]?.slot ?? 0
    return this.#underWayAt[wanted] === least ? wanted : this.#underWayAt.indexOf(least)
  }

  /** Takes the next search for a thread out of the queue. */
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
      const answer = await search.reads.read(
        requestedAt => resolvedAt(search, requestedAt),
        ({ request }, snapshot) => {
          this.#startThreads(threads)
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

  /** Must be called during a read of the index. No read runs while the store recovers from a failed write, when no thread may open it. */
  #startThreads(threads: SearchThreads): void {
    if (this.#closed) throw closedError()
    if (threads.start()) this.#options.snapshots.clearCaches(CALLING_THREAD_SHARE)
    this.#stopWhenIdle(threads)
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
      this.#options.snapshots.clearCaches(1)
      // Does not wait. Later searches run in place or start new threads.
      void threads.stop()
    }, this.#options.idleMs ?? IDLE_MS).unref()
  }
}

function resolvedAt({ request: asked }: Asked, requestedAt: number): Resolved {
  const request = asked.at(requestedAt)
  return { request, asOf: request.asOf }
}

function closedError(): AsofError {
  return new AsofError('ASOF_CLOSED', 'the engine is closed')
}

function hashOf(text: string): number {
  return fnv1a(Buffer.from(text)) >>> 0
}
