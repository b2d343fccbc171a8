import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, type MergePolicy, open, type SearchAnswer } from '../../core/index.ts'

let dir: string
let engine: Engine
let warnings: Error[]

afterEach(async () => {
  await engine.close()
  expect(warnings).toEqual([])
  await rm(dir, { recursive: true })
})

/** Number of concurrent clients: enough to keep two threads and their queue busy. */
const CLIENTS = 6

/** Lets several clients call `read` until the writing is done, with a turn of the event loop between two calls. */
async function whileWriting(writing: Promise<unknown>, read: (round: number) => Promise<void>): Promise<void> {
  let done = false
  let round = 0
  const end = writing.finally(() => {
    done = true
  })
  const client = async (): Promise<void> => {
    while (!done) {
      await read(round++)
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  await Promise.all([end, ...Array.from({ length: CLIENTS }, client)])
}

const captures = (round: number) =>
  Array.from({ length: 20 }, (_, i) => ({
    url: `https://example.com/${i}`,
    text: `moment of round ${round} page ${i}`,
  }))

/** Adds the given number of rounds, then more until `isEnough` returns true. */
async function addRounds(rounds: number, isEnough = () => true): Promise<void> {
  for (let round = 0; round < rounds || !isEnough(); round++) await engine.add(captures(round))
}

describe.each([0, 2])('reading while the index is written, with %i search threads', searchThreads => {
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'asof-reads-'))
    // Merges continuously, so that segments that running searches may need are cleared all the time.
    const mergePolicy: MergePolicy = segments => (segments.length > 2 ? segments.map(({ id }) => id) : [])
    warnings = []
    engine = await open(dir, { searchThreads, mergePolicy, onWarning: warning => warnings.push(warning) })
  })

  it('gives answers that never change as of their instant', async () => {
    const given: SearchAnswer[] = []
    // Threads take a while to start. If the readers never got to read, this would time out.
    await whileWriting(
      addRounds(30, () => given.length > 60),
      async () => {
        given.push(await engine.search('moment', { maxResults: 50, snippetMaxLength: 0 }))
      },
    )
    expect(given.length).toBeGreaterThan(60)
    for (const { results, receipt } of given) {
      const again = await engine.search('moment', {
        maxResults: 50,
        snippetMaxLength: 0,
        queryTime: receipt.instant,
      })
      expect(again.results).toEqual(results)
    }
  })

  it('finds each page either as before or as after its new capture', async () => {
    await engine.add(captures(0))
    await whileWriting(addRounds(30), async round => {
      const page = await engine.page(`https://example.com/${round % 20}`)
      expect(page?.markdown).toContain('moment of round')
      expect((await engine.search(`https://example.com/${round % 20}`)).results).toHaveLength(1)
    })
  })

  it('finds a page either as before or as after its purge', async () => {
    await engine.add(captures(0))
    const purges = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) await engine.purge(`https://example.com/${i}`)
    }
    await whileWriting(purges(), async round => {
      const { results } = await engine.search('moment', { maxResults: 50 })
      for (const { snippet } of results) expect(snippet.text).toContain('moment')
      await engine.page(`https://example.com/${round % 20}`)
    })
    expect((await engine.search('moment')).results).toEqual([])
  })
})
