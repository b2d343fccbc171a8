import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CaptureInput, Engine } from '../../../core/index.ts'
import { LevelFrontier } from '../../../crawler/frontier/level-frontier.ts'
import { CrawlTally } from '../../../crawler/report/crawl-tally.ts'
import { CaptureBuffer } from '../../../crawler/visit/capture-buffer.ts'
import { ManualTimers } from '../manual-timers.ts'

let dir: string
let frontier: LevelFrontier

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'asof-capture-buffer-'))
  frontier = await LevelFrontier.open(join(dir, 'frontier'))
})

afterEach(async () => {
  await frontier.close()
  rmSync(dir, { recursive: true })
})

it('adds captures in the order in which the index numbers captures of one instant', async () => {
  let taken: string[] = []
  const engine = {
    add: async (captures: CaptureInput[]) => {
      taken = captures.map(({ url }) => url)
      return { added: captures.length, revised: 0, unchanged: 0, removed: 0, failures: [], warnings: [] }
    },
  } as unknown as Engine
  const buffer = new CaptureBuffer(
    { engine, frontier, tally: new CrawlTally('docs', 0), timers: new ManualTimers() },
    {
      committed: () => {},
      failed: error => {
        throw error
      },
    },
  )
  const urls = ['https://b.org/', 'https://a.org/2', 'https://c.org/', 'https://a.org/10']
  await buffer.exclusively(async () => {
    for (const url of urls)
      buffer.add({ capture: { url, markdown: url }, updates: [{ url, patch: { storedAs: url } }], texts: [] })
  })
  await buffer.flush()
  expect(taken).toEqual(['https://c.org/', 'https://b.org/', 'https://a.org/2', 'https://a.org/10'])
  for (const url of urls) expect(await frontier.get(url)).toMatchObject({ state: 'done', storedAs: url })
})
