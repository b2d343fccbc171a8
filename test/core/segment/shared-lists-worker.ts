import { parentPort, workerData } from 'node:worker_threads'
import { type SharedListMemory, SharedLists } from '../../../core/segment/shared-lists.ts'
import { holdsList, keyOf, writeList } from './shared-lists-pattern.ts'

/** What a worker does with a memory that it shares with other workers. */
export interface SharedListsTask {
  memory: SharedListMemory
  thread: number
  searches: number
  /** Number of different lists. */
  lists: number
  /** The thread ends before this access by `Atomics`, as if it were killed. Undefined if it ends by itself. */
  dies?: number
  /** True if `dies` counts from the moment when the thread has the lock. Only for a thread above 0, whose number in the lock means nothing else. */
  whileLocked?: boolean
}

const { memory, thread, searches, lists: count, dies, whileLocked = false } = workerData as SharedListsTask
const lists = new SharedLists(memory, thread)

let accesses = whileLocked ? Number.NEGATIVE_INFINITY : 0
for (const name of ['load', 'store', 'compareExchange'] as const) {
  const access = Atomics[name].bind(Atomics) as (...args: unknown[]) => number
  Object.defineProperty(Atomics, name, {
    value: (...args: unknown[]) => {
      if (++accesses === dies) process.exit(1)
      const result = access(...args)
      if (whileLocked && name === 'compareExchange' && args[3] === thread + 1 && result === 0) accesses = 0
      return result
    },
  })
}

let seed = thread + 1
const random = (below: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * below)
}

let wrong = 0
let found = 0
for (let search = 0; search < searches; search++) {
  lists.begin()
  const held: { at: number; list: number }[] = []
  for (let i = 0; i < 5; i++) {
    const list = random(count)
    const { bytes } = keyOf(list)
    let place = lists.find(keyOf(list))
    if (place) found++
    place ??= lists.add(keyOf(list), bytes, at => writeList(memory, at, list))
    if (place) held.push({ at: place.at, list })
  }
  // What a search has found stays as it is until its end.
  for (const { at, list } of held) if (!holdsList(memory, at, list)) wrong++
  lists.end()
}
parentPort?.postMessage({ wrong, found })
