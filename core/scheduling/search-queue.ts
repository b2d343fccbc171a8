import { setImmediate } from 'node:timers/promises'
import { fnv1a } from '../bytes/fnv1a.ts'
import type { SearchAnswer, SearchOptions } from '../engine.ts'
import { AsofError } from '../errors.ts'
import type { IndexWriter, Reading } from '../ingest/index-writer.ts'
import { mostWords } from '../search/query/most-words.ts'
import { MAX_QUERY_CHARS } from '../search/query/parse-query.ts'
import { readRequest, type SearchRequest } from '../search/search-request.ts'
import { ThreadEnd } from './search-thread.ts'
import type { SearchThreads } from './search-threads.ts'

/** What searching in place may take of the time of the thread it is called on. */
const IN_PLACE_SHARE = 0.1
/** And how much more in one go; milliseconds. */
const IN_PLACE_BURST_MS = 50
/** A caller that awaits one search after another lets the event loop turn after so long; milliseconds. */
const CHAIN_MS = 10
/** No search counts for more: one that is slow because it is the first on a cold index is no load. */
const MOST_COUNTED_MS = 10
/** Idle threads end, for they keep in memory what merges replaced. */
const IDLE_MS = 60_000
/** Searches a thread is asked at a time: one in hand and one behind it, so that it need not wait for the next. */
const DEPTH = 2
/** Of so many that wait, a thread is given the first one that it was given before, as its caches know it. */
const LOOKAHEAD = 16
/** A search that was in hand when a thread ended is tried once more, in case that it was not the cause. */
const MAX_THREAD_ENDS = 2

/**
 * A search that may have more words than this goes to the search threads from the first on, unless the index is so small
 * that no search takes long.
 */
const MOST_WORDS_IN_PLACE = 16
const SMALL_INDEX_CAPTURES = 10_000

interface Checked {
  request: SearchRequest
  queryAt: number | undefined
}

export interface SearchQueueOptions {
  /** Absent: every search is answered in place. */
  threads?: SearchThreads
  /** Whether the threads answer from the first search on, rather than when searches take too much time in place. */
  eager: boolean
  writer: Pick<IndexWriter, 'read'>
  /** Captures that the index holds. */
  captures: () => number
  /** Answers in place. */
  answerHere: (text: string, request: SearchRequest, reading: Reading) => SearchAnswer
  /** Threads that were asked nothing for this long end; milliseconds. Default 60,000. */
  idleMs?: number
  /** The threads take over: what was kept in memory for answers in place is of no further use. */
  onThreads: () => void
}

/** Adds to a request, when its turn comes, what was found out about it before. */
export type Completion = (request: SearchRequest) => SearchRequest

interface Waiting {
  text: string
  options: SearchOptions
  complete: Completion
  /** The thread that the same text goes to whenever it can. */
  place: number
  /** How often a later search was preferred. */
  passedOver: number
  threadEnds: number
  resolve: (answer: SearchAnswer) => void
  reject: (error: unknown) => void
}

/**
 * Decides where a search is answered. As long as searches are few they are answered in place, which is the fastest for
 * each of them. Once they keep the calling thread from its other work, the search threads start and answer all. A caller
 * that awaits one search after another keeps nobody from anything, and goes on in place.
 */
export class SearchQueue {
  readonly #options: SearchQueueOptions
  readonly #waiting: Waiting[] = []
  /** Searches begun on threads. */
  readonly #underWay = new Set<Promise<void>>()
  /** The same by place of the thread. */
  readonly #underWayAt: number[]
  /** Time that searches in place took beyond their share, and when that was worked out; milliseconds. */
  #excessMs = 0
  #countedAtMs = 0
  /** Searches asked in place and not answered yet. */
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
  search(text: string, options: SearchOptions, complete: Completion = request => request): Promise<SearchAnswer> {
    const { threads } = this.#options
    if (threads && !this.#onThreads && this.#takesLong(text, options)) this.#onThreads = true
    if (!threads || !this.#onThreads) return this.#inPlace(text, options, complete)
    return new Promise((resolve, reject) => {
      // What is no text is refused when its turn comes.
      const place = typeof text === 'string' ? hashOf(text) % threads.count : 0
      this.#waiting.push({ text, options, complete, place, passedOver: 0, threadEnds: 0, resolve, reject })
      this.#begin(threads)
    })
  }

  /** Whether a search may keep the calling thread for long. */
  #takesLong(text: string, { mode }: SearchOptions): boolean {
    if (typeof text !== 'string' || text.length > 2 * MAX_QUERY_CHARS) return false
    const isLong = mostWords(text) > MOST_WORDS_IN_PLACE || (mode === 'webql' && /[*~]/.test(text))
    return isLong && this.#options.captures() >= SMALL_INDEX_CAPTURES
  }

  /** Refuses what waits and lets what is under way be answered. */
  async close(): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closedError())
    await Promise.all(this.#underWay)
    await this.#options.threads?.stop()
    clearTimeout(this.#idle)
  }

  async #inPlace(text: string, options: SearchOptions, complete: Completion): Promise<SearchAnswer> {
    const follows = this.#isInChain && this.#inPlaceNow === 0
    this.#inPlaceNow++
    try {
      if (this.#isInChain && performance.now() - this.#chainFromMs > CHAIN_MS) await setImmediate()
      this.#goOnWithChain()
      return await this.#options.writer.read(
        requestAt => checked({ text, options, complete }, requestAt),
        ({ request }, reading) => {
          if (this.#closed) throw closedError()
          const beganMs = performance.now()
          try {
            return this.#options.answerHere(text, request, reading)
          } finally {
            if (!follows) this.#count(beganMs, performance.now())
          }
        },
      )
    } finally {
      this.#inPlaceNow--
    }
  }

  /**
   * Searches awaited one after another follow each other in microtasks, in one turn of the event loop: a tick comes
   * only behind the last of them. Nobody else waits for such a chain if it is broken in time, so it needs no thread.
   */
  #goOnWithChain(): void {
    if (this.#isInChain) return
    this.#isInChain = true
    this.#chainFromMs = performance.now()
    process.nextTick(() => {
      this.#isInChain = false
    })
  }

  #count(beganMs: number, endedMs: number): void {
    const earned = (beganMs - this.#countedAtMs) * IN_PLACE_SHARE
    this.#excessMs = Math.max(0, this.#excessMs - earned) + Math.min(endedMs - beganMs, MOST_COUNTED_MS)
    this.#countedAtMs = endedMs
    if (this.#excessMs > IN_PLACE_BURST_MS && this.#options.threads) this.#onThreads = true
  }

  #begin(threads: SearchThreads): void {
    for (let place = this.#idlest(); place >= 0; place = this.#idlest()) {
      const search = this.#take(place)
      if (!search) return
      this.#underWayAt[place]++
      const done = this.#onThread(search, place, threads).finally(() => {
        this.#underWay.delete(done)
        this.#underWayAt[place]--
        this.#begin(threads)
      })
      this.#underWay.add(done)
    }
  }

  /** The place with the least to do, if possible that of the first who waits; -1 when none has room. */
  #idlest(): number {
    const least = Math.min(...this.#underWayAt)
    if (least >= DEPTH) return -1
    const wanted = this.#waiting[0]?.place ?? 0
    return this.#underWayAt[wanted] === least ? wanted : this.#underWayAt.indexOf(least)
  }

  /** The search that a place should have next. */
  #take(place: number): Waiting | undefined {
    const [first] = this.#waiting
    if (!first || first.place === place || first.passedOver === LOOKAHEAD) return this.#waiting.shift()
    const at = this.#waiting.slice(0, LOOKAHEAD).findIndex(search => search.place === place)
    if (at < 0) return this.#waiting.shift()
    first.passedOver++
    return this.#waiting.splice(at, 1)[0]
  }

  async #onThread(search: Waiting, place: number, threads: SearchThreads): Promise<void> {
    const { text } = search
    try {
      const answer = await this.#options.writer.read(
        requestAt => checked(search, requestAt),
        ({ request }, reading) => {
          if (this.#closed) throw closedError()
          // Not before: during a recovery no thread may open the store.
          if (threads.start()) this.#options.onThreads()
          this.#restOnceIdle(threads)
          return (
            threads.ask(place, { text, request, instant: reading.instant }) ??
            this.#options.answerHere(text, request, reading)
          )
        },
      )
      search.resolve(answer)
    } catch (error) {
      if (!(error instanceof ThreadEnd)) return search.reject(error)
      if (error.inHand) search.threadEnds++
      if (search.threadEnds < MAX_THREAD_ENDS) this.#waiting.unshift(search)
      else
        search.reject(
          new AsofError('ASOF_SEARCH_FAILED', 'the search ended every thread that took it', { cause: error }),
        )
    }
  }

  #restOnceIdle(threads: SearchThreads): void {
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
      // Whoever asks from now on is answered in place, or starts new ones.
      void threads.stop()
    }, this.#options.idleMs ?? IDLE_MS).unref()
  }
}

function checked(
  { text, options, complete }: Pick<Waiting, 'text' | 'options' | 'complete'>,
  requestAt: number,
): Checked {
  const request = complete(readRequest(text, options, requestAt))
  return { request, queryAt: request.times.queryAt }
}

function closedError(): AsofError {
  return new AsofError('ASOF_CLOSED', 'the engine is closed')
}

function hashOf(text: string): number {
  return fnv1a(Buffer.from(text)) >>> 0
}
