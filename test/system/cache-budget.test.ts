import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { open } from '../../core/index.ts'

const MIB = 2 ** 20
const BUDGET = MIB
const PAGES = 5_000
const SEARCHES = 400
const WORDS = 40_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Returns the bytes that this thread retains after garbage collection. */
function heldBytes(): number {
  collectGarbage()
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

let state = 1
/** Returns a word; a few words are frequent and most are rare. */
function word(): string {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return `w${Math.floor(WORDS * (state / 2 ** 32) ** 3).toString(36)}`
}
const words = (count: number): string => Array.from({ length: count }, word).join(' ')

/** Returns by how many bytes searches for frequent and rare words increase the retained memory. */
async function heldBySearches(dir: string, cacheBytes: number): Promise<number> {
  const engine = await open(dir, { cacheBytes, searchThreads: 0, mergePolicy: () => [] })
  try {
    const before = heldBytes()
    for (let i = 0; i < SEARCHES; i++) await engine.search(words(5), { snippetMaxLength: i % 10 === 0 ? 300 : 0 })
    return heldBytes() - before
  } finally {
    await engine.close()
  }
}

let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-budget-'))
})

afterAll(() => rm(dir, { recursive: true }))

describe('the cache budget', () => {
  it('is kept while an index of over ten times its size is built', async () => {
    const engine = await open(dir, { cacheBytes: BUDGET, searchThreads: 0 })
    try {
      const add = (from: number): Promise<unknown> =>
        engine.add(
          Array.from({ length: 500 }, (_, i) => ({ url: `https://example.com/${from + i}`, text: words(300) })),
        )
      for (let from = 0; from < 2000; from += 500) await add(from)
      const before = heldBytes()
      let most = 0
      for (let from = 2000; from < PAGES; from += 500) {
        await add(from)
        for (let i = 0; i < 50; i++) await engine.search(words(5))
        most = Math.max(most, heldBytes() - before)
      }
      expect((await engine.stats()).bytes).toBeGreaterThan(10 * BUDGET)
      expect(most).toBeLessThan(BUDGET + 8 * MIB)
    } finally {
      await engine.close()
    }
  })

  it('is kept while an index ten times its size is searched, and determines the memory used', async () => {
    // The first run also compiles code, whose memory does not belong to the caches.
    await heldBySearches(dir, BUDGET)
    expect(await heldBySearches(dir, BUDGET)).toBeLessThan(BUDGET * 1.25 + MIB)
    expect(await heldBySearches(dir, 8 * BUDGET)).toBeGreaterThan(BUDGET * 2)
  })
})
