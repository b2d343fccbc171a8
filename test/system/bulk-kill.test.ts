import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { open } from '../../core/index.ts'

const PAGES = 700
const ROUND = 256
const early = '2025-01-01'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-bulk-kill-'))
  const engine = await open(dir)
  const pages = Array.from({ length: PAGES }, (_, i) => `https://big.example/${i}`)
  await engine.add([...pages, 'https://small.example/'].map(url => ({ url, text: `lamp ${url}`, acquiredAt: early })))
  await engine.close()
})
afterEach(() => rm(dir, { recursive: true }))

/** Runs a bulk deletion in a process that is killed when it reaches a step of its second round. */
async function killedAt(op: string, step: string): Promise<void> {
  const here = import.meta.dirname
  const child = spawn(
    process.execPath,
    ['--import', path.join(here, 'failpoints.ts'), path.join(here, 'bulk-writer.ts'), dir, op],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ASOF_TEST_STEPS: `${step}:2:kill` } },
  )
  child.stdout.resume()
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
}

describe('a process that is killed during a bulk deletion', () => {
  it.each([
    ['removeAll', 'commit-1-begin', 1],
    ['removeAll', 'commit-2-prepared', 1],
    ['removeAll', 'commit-3-written', 2],
    ['removeAll', 'commit-4-applied', 2],
    ['purgeAll', 'purge-1-begin', 1],
    ['purgeAll', 'purge-2-prepared', 1],
    ['purgeAll', 'delete-1-written', 2],
    ['purgeAll', 'purge-4-applied', 2],
  ] as const)('%s at %s leaves %i whole rounds, and the same call deletes the rest', async (op, step, rounds) => {
    await killedAt(op, step)
    const engine = await open(dir)
    try {
      const report = await engine[op]({ site: 'big.example' })
      expect(report).toMatchObject({ pages: PAGES - rounds * ROUND, finished: true })
      const then = { maxResults: 1000, queryTime: '2025-02-01', snippetMaxLength: 0 } as const
      expect((await engine.search('lamp', { maxResults: 1000 })).results).toHaveLength(1)
      expect((await engine.search('lamp', then)).results).toHaveLength(op === 'removeAll' ? PAGES + 1 : 1)
      const { captures, urls } = await engine.stats()
      expect([captures, urls]).toEqual(op === 'removeAll' ? [PAGES + 1, PAGES + 1] : [1, 1])
    } finally {
      await engine.close()
    }
  })
})
