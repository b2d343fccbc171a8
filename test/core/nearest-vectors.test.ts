import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { type Engine, type MergePolicy, open, type SearchOptions } from '../../core/index.ts'
import { StoredVectors } from '../../core/vectors/stored-vectors.ts'
import { VectorReader } from '../../core/vectors/vector-reader.ts'
import type { TableMemory } from '../../core/vectors/vector-table.ts'
import { seed } from '../histories.ts'
import { START_AT } from './history-script.ts'
import { conceptEmbedder } from './models/concept-embedder.ts'
import { generator } from './random-segments.ts'

/** Enough for rows to be divided. */
const DIMENSIONS = 288
/** Room for this many rows of 256 components, so for fewer of {@link DIMENSIONS}. */
const ROOM = 4096
/** The numbers at the end of a scratch space: the maxima of bounds, see row-scan.ts. */
const MAXIMA = ROOM / 256
const PAGES = 500
const ROUNDS = 5
/** The round whose pages get their vectors later. */
const WITHOUT_MODEL = 3
const WORDS = ['car', 'automobile', 'doctor', 'surgeon', 'dog', 'hound', 'river', 'stone', 'light', 'search']

/** Engines compute bounds only for very many captures. Those that are opened now do so for this many. */
let minRows = 1
/** The memories of the vectors of the engines, in the order in which they were opened. */
let memories: TableMemory[] = []
const { load } = StoredVectors.prototype
beforeEach(() => {
  vi.spyOn(StoredVectors.prototype, 'load').mockImplementation(function (this: StoredVectors) {
    if (this.table) {
      this.table.memory.minRows = minRows
      memories.push(this.table.memory)
    }
    return load.call(this)
  })
})

/** Returns the maxima of the bounds that the last search wrote. A search that compares all writes none. */
function maximaOf({ kernelMemory, scratchAt, scratchBytes }: TableMemory): Float32Array {
  if (!kernelMemory) throw new Error('there is no kernel')
  return new Float32Array(kernelMemory.buffer, scratchAt + scratchBytes - 4 * MAXIMA, MAXIMA)
}

it('searches by bounds answer as those that compare all, on threads and in place, as of any instant, after removals, purges and late vectors', async () => {
  const random = generator(seed)
  const below = (end: number) => Math.floor(random() * end)
  const dir = await mkdtemp(join(tmpdir(), 'asof-nearest-'))
  const mergePolicy: MergePolicy = segments => (segments.length > 3 ? segments.map(({ id }) => id) : [])
  const embed = conceptEmbedder('concepts-1', DIMENSIONS)
  let clock = START_AT
  const settings = { now: () => clock, mergePolicy, vectorBytes: 256 * ROOM }
  const names = ['all', 'in-place', 'on-threads']
  let engines: Engine[] = []
  const openAll = async () => {
    memories = []
    engines = []
    for (const name of names) {
      minRows = name === 'all' ? ROOM : 1
      const searchThreads = name === 'on-threads' ? 1 : 0
      engines.push(await open(join(dir, name), { ...settings, embed, searchThreads }))
    }
  }
  const closeAll = () => Promise.all(engines.map(engine => engine.close()))
  const inPlace = vi.spyOn(VectorReader.prototype, 'nearest')
  /** Asks an engine, and says whether bounds answered, and whether a thread did. */
  const ask = async (at: number, query: string, options: SearchOptions) => {
    const maxima = maximaOf(memories[at]!).fill(0)
    inPlace.mockClear()
    const { results, receipt } = await engines[at]!.search(query, options)
    const answer = { results, compared: receipt.vectors?.compared }
    return { answer, isBounded: maxima[0] !== 0, isOnThread: inPlace.mock.calls.length === 0 }
  }
  const askAll = async () => {
    // Threads answer from the first search on that may take long.
    await engines[2]!.search('car', { sort: 'acquiredAt' })
    for (const query of ['car', 'hound by the river', 'surgeon light']) {
      const queryTime = START_AT + 10 + below(clock - START_AT)
      const options = { queryTime, sites: random() < 0.3 ? ['a.example'] : undefined, maxResults: 20 }
      const expected = await ask(0, query, options)
      expect(expected).toMatchObject({ isBounded: false, isOnThread: false })
      expect(expected.answer.results.length).toBeGreaterThan(0)
      expect(expected.answer.compared).toBeGreaterThan(PAGES / 2)
      const { answer } = expected
      expect(await ask(1, query, options)).toEqual({ answer, isBounded: true, isOnThread: false })
      expect(await ask(2, query, options)).toEqual({ answer, isBounded: true, isOnThread: true })
    }
  }
  /** Adds some pages to an engine, and deletes two. */
  const write = async (
    engine: Engine,
    pages: { url: string; text: string }[],
    [removed = '', purged = '']: string[],
  ) => {
    expect((await engine.add(pages)).failures).toEqual([])
    await engine.remove(removed)
    await engine.purge(purged)
  }
  try {
    await openAll()
    for (let round = 0; round < ROUNDS; round++) {
      clock += 10
      const pages = Array.from({ length: PAGES }, (_, number) => number)
        .filter(() => round === 0 || random() < 0.2)
        .map(number => ({
          url: `https://${number % 3 === 0 ? 'a' : 'b'}.example/${number}`,
          // Many pages have the same words, so the same vector.
          text: Array.from({ length: 1 + below(3) }, () => WORDS[below(WORDS.length)]).join(' '),
        }))
      const deleted = [pages[below(pages.length)]!.url, pages[below(pages.length)]!.url]
      if (round !== WITHOUT_MODEL) for (const engine of engines) await write(engine, pages, deleted)
      else {
        await closeAll()
        for (const name of names) {
          const engine = await open(join(dir, name), settings)
          await write(engine, pages, deleted)
          await engine.close()
        }
        await openAll()
      }
      await askAll()
      if (round !== WITHOUT_MODEL) continue
      for (const engine of engines) expect((await engine.embed()).embedded).toBeGreaterThan(0)
      await askAll()
    }
  } finally {
    await closeAll()
    await rm(dir, { recursive: true })
  }
}, 120_000)
