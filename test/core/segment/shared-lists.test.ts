import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SharedListMemory, SharedLists } from '../../../core/segment/shared-lists.ts'
import { holdsList, keyOf, writeList } from './shared-lists-pattern.ts'
import type { SharedListsTask } from './shared-lists-worker.ts'

const THREADS = 3
const LIST_BYTES = 400_000

function memoryOf(listBytes = LIST_BYTES): SharedListMemory {
  return SharedLists.memory(THREADS, { listBytes, ownBytes: 1000 })!
}

function add(lists: SharedLists, memory: SharedListMemory, list: number): ReturnType<SharedLists['add']> {
  return lists.add(keyOf(list), keyOf(list).bytes, at => writeList(memory, at, list))
}

/** Runs the worker, and returns its message; undefined if it ended before. */
async function run(task: SharedListsTask): Promise<{ wrong: number; found: number } | undefined> {
  const worker = new Worker(new URL('./shared-lists-worker.ts', import.meta.url), { workerData: task })
  let result: { wrong: number; found: number } | undefined
  worker.on('message', message => {
    result = message
  })
  await once(worker, 'exit')
  return result
}

describe('lists that threads share', () => {
  it('are found by another thread, each by its segment, its stream and its address', () => {
    const memory = memoryOf(10 * LIST_BYTES)
    const [one, other] = [new SharedLists(memory, 0), new SharedLists(memory, 1)]
    one.begin()
    other.begin()
    for (let list = 0; list < 16; list++) expect(other.find(keyOf(list))).toBeUndefined()
    const places = Array.from({ length: 16 }, (_, list) => add(one, memory, list))
    for (const [list, place] of places.entries()) {
      expect(other.find(keyOf(list))).toEqual(place)
      expect(holdsList(memory, place!.at, list)).toBe(true)
      expect(place!.at % 128).toBe(0)
    }
  })

  it('are not added if they would displace too much', () => {
    const memory = memoryOf(16 * 10_000)
    const lists = new SharedLists(memory, 0)
    lists.begin()
    expect(lists.add(keyOf(0), 6000, () => {})).toBeUndefined()
    expect(lists.add(keyOf(0), 4000, () => {})).toBeDefined()
  })

  it('are evicted in the order in which they were added, and are old some time before', () => {
    const memory = memoryOf()
    const lists = new SharedLists(memory, 0)
    lists.begin()
    const first = add(lists, memory, 0)!
    expect(lists.isOld(first.part)).toBe(false)
    let wasOld = false
    for (let list = 1; lists.isReadable(first.part); list++) {
      lists.end()
      lists.begin()
      expect(lists.find(keyOf(0))).toEqual(first)
      wasOld = lists.isOld(first.part)
      expect(add(lists, memory, list)).toBeDefined()
    }
    expect(wasOld).toBe(true)
    expect(lists.find(keyOf(0))).toBeUndefined()
  })

  it('stay as they are until the search that found them has ended', () => {
    const step = fc.record({ thread: fc.nat(THREADS - 1), list: fc.nat(200), isNew: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { minLength: 300, maxLength: 600 }), steps => {
        const memory = memoryOf(200_000)
        const threads = Array.from({ length: THREADS }, (_, thread) => {
          return { lists: new SharedLists(memory, thread), held: [] as { at: number; list: number }[] }
        })
        for (const { lists } of threads) lists.begin()
        for (const { thread, list, isNew } of steps) {
          const { lists, held } = threads[thread]!
          if (isNew && held.length > 3) {
            lists.end()
            held.length = 0
            lists.begin()
          }
          const place = lists.find(keyOf(list)) ?? add(lists, memory, list)
          if (place) held.push({ at: place.at, list })
          for (const other of threads)
            for (const one of other.held) if (!holdsList(memory, one.at, one.list)) return false
        }
        return true
      }),
    )
  })

  it('leave room for none while a search that may read the oldest ones goes on', () => {
    const memory = memoryOf()
    const [one, other] = [new SharedLists(memory, 0), new SharedLists(memory, 1)]
    other.begin()
    const addUntilFull = (): number => {
      for (let list = 0; list < 1000; list++) {
        one.end()
        one.begin()
        if (!add(one, memory, list)) return list
      }
      return 1000
    }
    expect(addUntilFull()).toBeLessThan(1000)
    other.end()
    expect(addUntilFull()).toBe(1000)
  })

  it('are right on several threads at once', async () => {
    const memory = memoryOf()
    const results = await Promise.all(
      Array.from({ length: THREADS }, (_, thread) => run({ memory, thread, searches: 4000, lists: 150 })),
    )
    for (const result of results) expect(result?.wrong).toBe(0)
    expect(results[0]?.found).toBeGreaterThan(1000)
  })

  it('are right after a thread has ended at any moment', async () => {
    const early = Array.from({ length: 30 }, (_, i) => ({ dies: i + 1 }))
    const later = Array.from({ length: 20 }, (_, i) => ({ dies: 40 + 17 * i }))
    // With the lock, a thread reads the number of the part and each announcement, and then stores three words.
    const locked = Array.from({ length: 1 + THREADS + 3 }, (_, i) => ({ dies: i + 1, whileLocked: true }))
    const memory = memoryOf(320_000)
    const others = new SharedLists(memory, 1)
    for (const moment of [...early, ...later, ...locked]) {
      expect(await run({ memory, thread: 2, searches: 1000, lists: 150, ...moment })).toBeUndefined()
      SharedLists.forget(memory, 2)
      for (let list = 0; list < 150; list++) {
        others.begin()
        const place = others.find(keyOf(list)) ?? add(others, memory, list)
        if (place) expect(holdsList(memory, place.at, list)).toBe(true)
        others.end()
      }
      for (let list = 0; list < 150; list++) {
        others.begin()
        expect(add(others, memory, list)).toBeDefined()
        others.end()
      }
    }
  })
})
