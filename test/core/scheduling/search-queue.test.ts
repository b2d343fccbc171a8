import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { open } from '../../../core/index.ts'
import { buildCommit } from '../../../core/ingest/build-commit.ts'
import { IndexWriter } from '../../../core/ingest/index-writer.ts'
import { chooseMerge } from '../../../core/merge/merge-policy.ts'
import { MergeThread } from '../../../core/merge/merge-thread.ts'
import { CALLING_THREAD_SHARE, cacheBudget } from '../../../core/scheduling/cache-budget.ts'
import { SearchQueue } from '../../../core/scheduling/search-queue.ts'
import { SearchThreads } from '../../../core/scheduling/search-threads.ts'
import { SnapshotSearch } from '../../../core/scheduling/snapshot-search.ts'
import { parseSearch } from '../../../core/search/parse-search.ts'
import type { SearchAnswer, SearchOptions } from '../../../core/search/search-answer.ts'
import { UntimedSearch } from '../../../core/search/untimed-search.ts'
import { FolderStore } from '../../../core/store/folder-store.ts'
import { documentKey } from '../../../core/store/keys.ts'
import { Snapshots } from '../../../core/store/snapshots/snapshots.ts'
import { TitleColumnsBuilder } from '../../../core/suggest/title-columns.ts'
import { TitleIndex } from '../../../core/suggest/title-index.ts'
import { StoredVectors } from '../../../core/vectors/stored-vectors.ts'

const BUDGET = 1024 * 1024

let root: string
let dir: string
/** Queries answered in place, and the time that each takes by the clock of a test. */
let here: string[]
let answerMs: number
let nowMs: number
let warnings: Error[]
/** The number of captures that the queue sees. */
let captures: number
let close: () => Promise<void>

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'asof-queue-'))
  const engine = await open(join(root, 'filled'), { searchThreads: 0 })
  await engine.add(
    Array.from({ length: 30 }, (_, i) => ({
      url: `https://example.com/${i}`,
      title: `page ${i}`,
      text: `word${i} among words`,
      fields: { price: i, id: `a${i}` },
    })),
  )
  await engine.close()
})
afterAll(() => rm(root, { recursive: true }))

beforeEach(async () => {
  dir = await mkdtemp(join(root, 'index-'))
  await cp(join(root, 'filled'), dir, { recursive: true })
  here = []
  answerMs = 0
  nowMs = 0
  warnings = []
  captures = 30
})

afterEach(async () => {
  await close()
})

/** A queue over the index, as the engine makes it, but with other threads. */
interface Opened {
  queue: SearchQueue
  search: (query: string, options?: SearchOptions) => Promise<SearchAnswer>
  threads: SearchThreads
  store: FolderStore
  snapshots: Snapshots
}

async function openQueue(file: URL | undefined, eager = true, { idleMs = 60_000, count = 1 } = {}): Promise<Opened> {
  const { storeCacheBytes, postings } = cacheBudget(BUDGET)
  const store = await FolderStore.open(join(dir, 'index'), { cacheBytes: storeCacheBytes })
  const snapshots = await Snapshots.open(store, postings, { now: Date.now })
  const threads = new SearchThreads({
    count,
    location: store.location,
    cacheBytes: BUDGET,
    snapshots,
    onWarning: warning => warnings.push(warning),
    file,
  })
  const writer = await IndexWriter.open(store, snapshots, {
    merging: new MergeThread(store, snapshots.signals.buffer),
    onWarning: warning => warnings.push(warning),
    mergePolicy: chooseMerge,
    vectors: new StoredVectors(store),
    build: buildCommit,
  })
  const inPlace = new SnapshotSearch({})
  const queue = new SearchQueue({
    threads,
    eager,
    idleMs,
    snapshots: {
      clearCaches: share => snapshots.clearCaches(share),
      get captures() {
        return captures
      },
    },
    searcher: {
      answer: (request, snapshot, mostMs) => {
        here.push(request.text)
        nowMs += answerMs
        return inPlace.answer(request, snapshot, mostMs)
      },
    },
  })
  close = async () => {
    await queue.close()
    await writer.close()
    await store.close()
  }
  const search = (query: string, options: SearchOptions = {}) =>
    queue.search(new UntimedSearch(parseSearch(query, options)), snapshots)
  return { queue, search, threads, store, snapshots }
}

const noTimings = { parse: 0, statistics: 0, topK: 0, snippets: 0, total: 0 }

const dying = new URL('./dying-worker.ts', import.meta.url)

describe('the search queue', () => {
  it('answers on threads from the first search on if eager', async () => {
    const { search } = await openQueue(undefined)
    const { results } = await search('word7')
    expect(results.map(({ url }) => url)).toEqual(['https://example.com/7'])
    expect(here).toEqual([])
  })

  it('answers on a thread with the same values as in place', async () => {
    const queryTime = Date.now()
    // The cursor of the next page contains the time of the request.
    vi.spyOn(Date, 'now').mockReturnValue(queryTime)
    const asked: [query: string, options: SearchOptions][] = [
      ['word7 among', { facets: ['price', 'price:10', 'id', 'acquiredAt:year'], language: 'en' }],
      ['wird7 "no such phrase"', {}],
      ['https://example.com/7', {}],
      ['', { sort: 'price:desc', maxResults: 3 }],
      ['among -word7', { mode: 'realtime', explain: true }],
    ]
    const answers = async (search: Opened['search']) => {
      const found: SearchAnswer[] = []
      for (const [query, options] of asked) {
        const { explain, ...answer } = await search(query, { ...options, queryTime })
        found.push(explain ? { ...answer, explain: { ...explain, timings: noTimings } } : answer)
      }
      return found
    }
    const onThread = await answers((await openQueue(undefined)).search)
    expect(here).toEqual([])
    await close()
    const inPlace = await answers((await openQueue(undefined, false)).search)
    expect(here).toHaveLength(asked.length)
    expect(onThread).toStrictEqual(inPlace)
  })

  it('answers in place until searches take their share of the time, and on threads from then on', async () => {
    const { search } = await openQueue(undefined, false)
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    answerMs = 5
    const two = async () => {
      await new Promise(resolve => setImmediate(resolve))
      return Promise.all(['word7', 'word8'].map(word => search(word)))
    }
    // A tenth of the time is their share.
    for (let i = 0; i < 50; i++, nowMs += 100) await two()
    expect(here).toHaveLength(100)
    // Without a pause they are more than 50 ms ahead of it with the eleventh.
    for (let i = 0; i < 6; i++) await two()
    expect(here).toHaveLength(111)
    expect((await search('word7')).results).toHaveLength(1)
    expect((await two()).map(({ results }) => results.length)).toEqual([1, 1])
    expect(here).toHaveLength(111)
  })

  it.each([
    ['17 words', Array.from({ length: 17 }, (_, i) => `word${i}`).join(' '), {}],
    ['17 characters of a script without spaces', '渡り鳥が海を越える季節になりました', {}],
    ['a pattern', 'word*', { mode: 'webql' as const }],
    ['a filter with a range', 'word7', { filter: { price: { lt: 3 } } }],
    ['a filter with a prefix deep inside', 'word7', { filter: { any: [{ not: { id: { prefix: 'a' } } }] } }],
  ])('never answers %s in place on an index that is not small', async (_, text, options) => {
    const { search } = await openQueue(undefined, false)
    captures = 1_000
    await search(text, options)
    expect(here).toEqual([])
  })

  it('collects titles on a thread if the index is not small', async () => {
    const { queue, snapshots } = await openQueue(undefined, false)
    captures = 999
    expect(await queue.collectTitles(snapshots, undefined)).toBeUndefined()
    captures = 1_000
    const build = vi.spyOn(TitleColumnsBuilder.prototype, 'build')
    const collected = await queue.collectTitles(snapshots, undefined)
    expect(build).not.toHaveBeenCalled()
    expect(collected?.generation).toBe(snapshots.catalog.manifest.generation)
    const texts = new TitleIndex(collected!.titles).find('page', 50).map(({ text }) => text)
    expect(texts.sort()).toEqual(Array.from({ length: 30 }, (_, i) => `page ${i}`).sort())
    expect((await queue.collectTitles(snapshots, 0))?.titles.captureIds).toHaveLength(0)
  })

  it('leaves titles to the calling thread if the search thread ends', async () => {
    const { queue, snapshots } = await openQueue(dying, false)
    captures = 1_000
    expect(await queue.collectTitles(snapshots, undefined)).toBeUndefined()
  })

  it('answers on threads from the first search on that would hold up the calling thread', async () => {
    const { search } = await openQueue(undefined, false, { count: 2 })
    const { threadCpuUsage } = process
    // Each reading of the processor time is 60 ms later, so the second check of a search finds it too long.
    let readings = 0
    vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ ...threadCpuUsage(), user: readings++ * 60_000 }))
    vi.spyOn(performance, 'now').mockImplementation(() => readings * 60 + nowMs++ * 200)
    expect((await search('word7')).results.map(({ url }) => url)).toEqual(['https://example.com/7'])
    await search('word8')
    expect(here).toEqual(['word7'])
  })

  it('answers in place what need not wait for threads that start', async () => {
    const { search } = await openQueue(undefined, false, { count: 2 })
    captures = 1_000
    const long = search('word*', { mode: 'webql' })
    expect((await search('word7')).results).toHaveLength(1)
    expect(here).toEqual(['word7'])
    await long
    await search('word8')
    expect(here).toEqual(['word7'])
  })

  it('answers 16 words in place, and any number of them on a small index', async () => {
    const { search } = await openQueue(undefined, false)
    const words = Array.from({ length: 17 }, (_, i) => `word${i}`)
    captures = 999
    await search(words.join(' '))
    captures = 1_000
    await search(words.slice(1).join(' '))
    expect(here).toHaveLength(2)
  })

  it('stays in place for a chain of awaited searches, and yields to the event loop', async () => {
    const { search } = await openQueue(undefined, false)
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    answerMs = 0.5
    let turns = 0
    const turn = () => {
      turns++
      turning = setImmediate(turn)
    }
    let turning = setImmediate(turn)
    for (let i = 0; i < 600; i++) await search('word7')
    clearImmediate(turning)
    expect(here).toHaveLength(600)
    // One every 10 of the 300 milliseconds that the searches took.
    expect(turns).toBeGreaterThanOrEqual(28)
  })

  it('leaves searches that wait for their turn to threads, once those answer', async () => {
    const { search } = await openQueue(undefined, false, { count: 2 })
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    answerMs = 40
    const found = await Promise.all(Array.from({ length: 60 }, () => search('word7')))
    for (const { results } of found) expect(results).toHaveLength(1)
    // Each counts 10 ms, of 50 that searches in place may use beyond their share.
    expect(here).toHaveLength(6)
  })

  it('ends idle threads, and starts them again with the next search', async () => {
    const { search, threads, snapshots } = await openQueue(undefined, true, { idleMs: 20 })
    const clearCaches = vi.spyOn(snapshots, 'clearCaches')
    const stop = vi.spyOn(threads, 'stop')
    await search('word7')
    await expect.poll(() => stop.mock.calls.length).toBeGreaterThan(0)
    await stop.mock.results[0]!.value
    const start = vi.spyOn(threads, 'start')
    expect((await search('word7')).results).toHaveLength(1)
    expect(start.mock.results).toEqual([{ type: 'return', value: true }])
    expect(here).toEqual([])
    // The calling thread has all of its caches only while no thread runs.
    const shares = clearCaches.mock.calls.map(([share]) => share)
    expect(shares.slice(0, 3)).toEqual([CALLING_THREAD_SHARE, 1, CALLING_THREAD_SHARE])
  })

  it('rejects with the code and details of an error on a thread', async () => {
    const { search } = await openQueue(undefined)
    await expect(search('word7', { queryTime: 'soon' })).rejects.toMatchObject({
      code: 'ASOF_INVALID_TIME',
      details: { field: 'queryTime' },
    })
  })

  it('rejects with ASOF_STORE_CORRUPT for damage found on a thread, and continues', async () => {
    const { search, store } = await openQueue(undefined)
    expect((await search('word9')).results).toHaveLength(1)
    await store.commit([{ type: 'del', key: documentKey(8) }])
    await expect(search('word7')).rejects.toMatchObject({
      code: 'ASOF_STORE_CORRUPT',
      retryable: false,
    })
    expect((await search('word8')).results).toHaveLength(1)
    expect(warnings).toEqual([])
  })

  it('answers every search once, mostly on the thread that had the same text before', async () => {
    const { search, threads } = await openQueue(undefined, true, { count: 2 })
    const ask = vi.spyOn(threads, 'ask')
    const texts = Array.from({ length: 200 }, (_, i) => `word${i % 20}`)
    const found = await Promise.all(texts.map(text => search(text)))
    expect(found.map(({ results }) => results[0]!.url)).toEqual(texts.map((_, i) => `https://example.com/${i % 20}`))
    expect(ask.mock.calls.length).toBe(200)
    const placesOf = new Map<string, number[]>()
    for (const [place, { request }] of ask.mock.calls) {
      const { text } = request
      const counts = placesOf.get(text) ?? [0, 0]
      counts[place]!++
      placesOf.set(text, counts)
    }
    const atOwn = [...placesOf.values()].reduce((total, counts) => total + Math.max(...counts), 0)
    // By chance it would be 125, and no less than 150 however slow one thread is beside the other.
    expect(atOwn).toBeGreaterThan(140)
  })

  it('answers searches under way when closed, and rejects waiting ones', async () => {
    const { queue, search } = await openQueue(undefined, true, { count: 2 })
    const searches = Array.from({ length: 12 }, (_, i) => search(`word${i}`))
    const closed = queue.close()
    const outcomes = await Promise.allSettled(searches)
    await closed
    expect(outcomes.slice(0, 4).map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'))
    for (const outcome of outcomes.slice(4))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ASOF_CLOSED' } })
  })

  it('answers a search on another thread when its own ends, with a warning', async () => {
    const { search } = await openQueue(dying, true, { count: 2 })
    const searches = ['stumble word1', 'word2', 'word3', 'word4', 'word5'].map(text => search(text))
    const found = (await Promise.all(searches)).map(({ results }) => results[0]!.url)
    expect(found).toEqual([1, 2, 3, 4, 5].map(i => `https://example.com/${i}`))
    expect(warnings.map(({ message }) => message)).toEqual(['a search thread ended: it ended with code 1'])
  })

  it('rejects a search that ends two threads, and no other search', async () => {
    const { search } = await openQueue(dying, true, { count: 2 })
    const searches = ['word1', 'word2', 'die', 'word3', 'word4', 'word5'].map(text => search(text))
    const outcomes = await Promise.allSettled(searches)
    expect(outcomes[2]).toMatchObject({ status: 'rejected', reason: { code: 'ASOF_SEARCH_FAILED', retryable: true } })
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(warnings).toHaveLength(2)
    expect((await search('word9')).results).toHaveLength(1)
    expect(here).toEqual([])
  })

  it('answers in place when no thread can start', async () => {
    const { search } = await openQueue(new URL('./no-such-worker.ts', import.meta.url), true, { count: 2 })
    for (const word of ['word1', 'word2']) expect((await search(word)).results).toHaveLength(1)
    expect(here).toEqual(['word1', 'word2'])
    expect(warnings.length).toBeGreaterThan(0)
    expect(warnings.length).toBeLessThanOrEqual(2)
  })
})
