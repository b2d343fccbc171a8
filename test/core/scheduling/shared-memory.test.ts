import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, type OpenOptions, open } from '../../../core/index.ts'
import { cacheBudget } from '../../../core/scheduling/cache-budget.ts'
import { ThreadEnd } from '../../../core/scheduling/search-thread.ts'
import { SearchThreads } from '../../../core/scheduling/search-threads.ts'
import { parseSearch } from '../../../core/search/parse-search.ts'
import { resolveSearch } from '../../../core/search/resolve-search.ts'
import type { SearchAnswer, SearchOptions } from '../../../core/search/search-answer.ts'
import { Stream } from '../../../core/segment/streams.ts'
import { openDatabase } from '../../../core/store/database.ts'
import { FolderStore } from '../../../core/store/folder-store.ts'
import { chunkKey } from '../../../core/store/keys.ts'
import { Snapshots } from '../../../core/store/snapshots/snapshots.ts'
import { seed } from '../../histories.ts'
import { generator } from '../random-segments.ts'

const HOUR = 3_600_000
const FROM = Date.UTC(2024, 0, 1)
const PAGES = 2000
const ROUNDS = 4
/** So small that lists are evicted all the time, and that the list of a word of all pages is too large to be shared. */
const CACHE_BYTES = 200_000

const now = () => FROM + 10_000 * HOUR
const next = generator(seed)
const random = (below: number): number => Math.floor(next() * below)
/** Half of the words are in many pages, so that their lists are long enough to be shared. */
const word = (): string => (random(2) ? `often${random(12)}` : `word${random(900)}`)

type Question = [text: string, options: SearchOptions]

/** Questions about instants before the captures of a round. */
function questionsBefore(round: number, count: number): Question[] {
  return Array.from({ length: count }, () => {
    const words = Array.from({ length: 1 + random(4) }, word)
    if (random(4) === 0) words.push('always')
    const phrase = (): string => `"${words.slice(0, 2).join(' ')}" ${words.slice(2).join(' ')}`
    const text = [words.join(' '), words.map(each => `"${each}"`).join(' '), phrase()][random(3)]!
    const queryTime = FROM + random(round * PAGES + 1) * 60_000 - 1
    const shape: SearchOptions[] = [{}, { maxResults: 100 }, { snippetMaxLength: 0 }, { facets: ['acquiredAt:month'] }]
    return [text, { mode: random(3) ? 'realtime' : 'pro', queryTime, ...shape[random(shape.length)] }]
  })
}

function pagesOf(round: number): { url: string; title: string; text: string; acquiredAt: number }[] {
  return Array.from({ length: PAGES }, (_, i) => ({
    url: `https://example.com/${random(2) ? random(PAGES) : round * PAGES + i}`,
    title: word(),
    text: ['always', ...Array.from({ length: 12 }, word)].join(' '),
    acquiredAt: FROM + (round * PAGES + i) * 60_000,
  }))
}

/** Deletes what depends on when merges end. */
function comparable({ receipt: { segments: _, ...receipt }, ...answer }: SearchAnswer): object {
  return { ...answer, receipt }
}

let root: string
let filled: string
let opened: (() => Promise<unknown>)[]

async function opening(folder: string, options: OpenOptions): Promise<Engine> {
  const engine = await open(folder, { now, ...options })
  opened.push(() => engine.close())
  return engine
}

/** Opens an engine over a copy of the filled index. */
async function openCopy(name: string, options: OpenOptions): Promise<Engine> {
  await cp(filled, join(root, name), { recursive: true })
  return opening(join(root, name), options)
}

/** Opens the filled index, and asks its search threads themselves. A thread may end while it answers; then the next one is asked. */
async function openThreads(name: string, file?: URL) {
  const folder = join(root, name)
  await cp(filled, folder, { recursive: true })
  const { storeCacheBytes, postings } = cacheBudget(CACHE_BYTES)
  const store = await FolderStore.open(join(folder, 'index'), { cacheBytes: storeCacheBytes })
  const snapshots = await Snapshots.open(store, postings, { now })
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  const threads = new SearchThreads({
    count: 2,
    location: store.location,
    cacheBytes: CACHE_BYTES,
    snapshots,
    onWarning,
    file,
  })
  opened.push(async () => {
    await threads.stop()
    await store.close()
  })
  threads.start()
  const search = async ([text, options]: Question, slot: number): Promise<SearchAnswer> => {
    const request = resolveSearch(parseSearch(text, options), now())
    for (;;) {
      try {
        return await threads.ask(slot, { request, instant: request.asOf! })!
      } catch (error) {
        if (!(error instanceof ThreadEnd)) throw error
      }
    }
  }
  return { store, snapshots, threads, search, warnings }
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'asof-shared-'))
  filled = join(root, 'filled')
  const engine = await open(filled, { searchThreads: 0, now, mergePolicy: () => [] })
  for (let round = 0; round < 2; round++) await engine.add(pagesOf(round))
  await engine.close()
})
afterAll(() => rm(root, { recursive: true }))
beforeEach(() => {
  opened = []
})
afterEach(async () => {
  for (const close of opened.reverse()) await close()
})

describe(`threads that share lists answer as one thread does (seed ${seed})`, () => {
  it('while lists are evicted, and segments are added and merged', async () => {
    const onThreads = await opening(join(root, 'threads'), { searchThreads: 3, cacheBytes: CACHE_BYTES })
    const inPlace = await opening(join(root, 'place'), { searchThreads: 0 })
    for (let round = 0; round < ROUNDS; round++) {
      const pages = pagesOf(round)
      const questions = questionsBefore(round, 90)
      const answers = questions.map(question => onThreads.search(...question))
      await Promise.all([onThreads.add(pages), inPlace.add(pages)])
      const again = questions.map(question => onThreads.search(...question))
      for (const [i, answer] of (await Promise.all([...answers, ...again])).entries()) {
        const question = questions[i % questions.length]!
        expect(comparable(answer), question[0]).toEqual(comparable(await inPlace.search(...question)))
      }
    }
  })

  it('after threads have ended in the middle of searches', async () => {
    const inPlace = await openCopy('place-of-ending', { searchThreads: 0 })
    const { search, warnings } = await openThreads('ending', new URL('./ending-worker.ts', import.meta.url))
    const questions = questionsBefore(2, 60)
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(questions.map((question, i) => search(question, i % 2)))
      for (const [i, answer] of answers.entries()) {
        const question = questions[i]!
        expect(comparable(answer), question[0]).toEqual(comparable(await inPlace.search(...question)))
      }
    }
    expect(warnings.length).toBeGreaterThan(10)
  })

  it('with several engines in the process', async () => {
    const inPlace = await openCopy('place-of-several', { searchThreads: 0 })
    const engines: Engine[] = []
    for (let i = 0; i < 4; i++)
      engines.push(await openCopy(`several-${i}`, { searchThreads: 2, cacheBytes: CACHE_BYTES * (i + 1) }))
    const questions = questionsBefore(2, 60)
    const answers = await Promise.all(questions.map((question, i) => engines[i % engines.length]!.search(...question)))
    for (const [i, answer] of answers.entries()) {
      const question = questions[i]!
      expect(comparable(answer), question[0]).toEqual(comparable(await inPlace.search(...question)))
    }
  })

  it('or reject the search, if the bytes of lists are damaged meanwhile', async () => {
    const inPlace = await openCopy('place-of-damaged', { searchThreads: 0 })
    const { store, snapshots, search, warnings } = await openThreads('damaged')
    const questions = questionsBefore(2, 150)
    const expected = await Promise.all(questions.map(async question => comparable(await inPlace.search(...question))))
    let rejected = 0
    const askAll = async (asked: Question[]): Promise<void> => {
      const answers = await Promise.allSettled(asked.map((question, i) => search(question, i % 2)))
      for (const [i, answer] of answers.entries()) {
        if (answer.status === 'fulfilled') expect(comparable(answer.value), asked[i]![0]).toEqual(expected[i])
        else {
          expect(answer.reason).toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
          rejected++
        }
      }
    }
    await askAll(questions.slice(0, 20))
    expect(rejected).toBe(0)
    // Every second chunk: other lists stay as they are.
    const database = await openDatabase(store.location)
    for (const { info } of snapshots.catalog.segments)
      for (let chunk = 0; chunk < 100; chunk += 2) {
        const key = chunkKey(info.id, Stream.postings, chunk)
        const stored = await database.get(key)
        if (!stored) continue
        stored[random(stored.length)]! ^= 1 << random(8)
        await database.put(key, stored)
      }
    await database.close()
    await askAll(questions)
    await askAll(questions)
    expect(rejected).toBeGreaterThan(0)
    expect(rejected).toBeLessThan(2 * questions.length)
    expect(warnings).toEqual([])
  })

  it('or reject the search, if the engine is closed', async () => {
    const inPlace = await openCopy('place-of-closed', { searchThreads: 0 })
    await cp(filled, join(root, 'closed'), { recursive: true })
    const questions = questionsBefore(2, 40)
    for (let round = 0; round < 5; round++) {
      const engine = await opening(join(root, 'closed'), { searchThreads: 2, cacheBytes: CACHE_BYTES })
      const answers = questions.map(question => engine.search(...question))
      await answers[round]
      const [outcomes] = await Promise.all([Promise.allSettled(answers), engine.close()])
      for (const [i, outcome] of outcomes.entries()) {
        const question = questions[i]!
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'ASOF_CLOSED' })
        else expect(comparable(outcome.value), question[0]).toEqual(comparable(await inPlace.search(...question)))
      }
    }
  })
})
