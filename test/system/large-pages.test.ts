import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../core/index.ts'

const PAGES = 6
let dir: string
let engine: Engine

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-large-'))
  const filling = await open(dir)
  for (let page = 0; page < PAGES; page++) {
    const words = Array.from({ length: 2_800_000 }, (_, i) => `w${(page * 31 + i * i * 7 + i) % 50_000}`).join(' ')
    expect(words.length).toBeGreaterThan(18_000_000)
    const captures = [{ url: `https://large.example/${page}`, title: 'Titleword', text: `${words} theend` }]
    expect(await filling.add(captures)).toMatchObject({ added: 1 })
  }
  await filling.close()
  // As an application opens it: the first searches are answered on this thread.
  engine = await open(dir)
})
afterAll(async () => {
  await engine.close()
  await rm(dir, { recursive: true, force: true })
})

/**
 * The longest that this thread worked without a turn of its event loop while `act` ran: processor time, because another
 * process may hold up a turn too. Also the 99th percentile of the delay of the event loop; both in milliseconds.
 */
async function heldUp(act: () => Promise<void>): Promise<{ longestMs: number; delayP99Ms: number }> {
  const delays = monitorEventLoopDelay({ resolution: 5 })
  let longest = 0
  let before = process.threadCpuUsage()
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, user + system)
    before = process.threadCpuUsage()
    turning = setImmediate(turn)
  }
  let turning = setImmediate(turn)
  delays.enable()
  await act()
  await new Promise(resolve => setImmediate(resolve))
  delays.disable()
  clearImmediate(turning)
  return { longestMs: longest / 1000, delayP99Ms: delays.percentile(99) / 1e6 }
}

describe('pages of 19 MB', () => {
  it('hold up the calling thread for no search, and are shown in the snippets', async () => {
    const found = new Map<string, string[]>()
    const held = await heldUp(async () => {
      for (const query of ['titleword', 'theend', 'titleword theend', 'titelword', 'w17'])
        for (const mode of ['pro', 'realtime'] as const) {
          const { results } = await engine.search(query, { mode })
          found.set(
            `${query} ${mode}`,
            results.map(({ snippet }) => snippet.text),
          )
        }
    })
    console.info(`large pages: the calling thread was held up for ${JSON.stringify(held)}`)
    expect(found.get('titleword pro')).toHaveLength(PAGES)
    for (const text of found.get('theend realtime') ?? []) expect(text).toContain('theend')
    expect(found.get('theend realtime')).toHaveLength(PAGES)
    // One search of all pages took 2,300 ms. A search is abandoned after 100 ms and may then be in the middle of a step.
    expect(held.longestMs).toBeLessThan(1_800)
  })

  it('hold up the calling thread for a moment when their beginning is read', async () => {
    const held = await heldUp(async () => {
      for (let page = 0; page < PAGES; page++) {
        const found = await engine.page(`https://large.example/${page}`, { markdownMaxLength: 20_000 })
        expect(found?.markdown).toHaveLength(20_000)
        await new Promise(resolve => setImmediate(resolve))
      }
    })
    console.info(`beginnings: the calling thread was held up for ${JSON.stringify(held)}`)
    expect(held.longestMs).toBeLessThan(1_000)
  })
})
