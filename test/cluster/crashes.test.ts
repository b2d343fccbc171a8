import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { openCluster } from '../../cluster/index.ts'
import { type Engine, open } from '../../core/index.ts'
import { casesOf } from '../cases.ts'
import { BATCH, batchOf, FIRST_AT } from './crash-script.ts'
import { newName, servers } from './test-cluster.ts'

/** Number of times that the writer is killed. */
const kills = casesOf(30)
const queries = ['river stone', '"stone light"', 'winter -harvest', 'time engine 12', 'page light']

/** Starts a writer, and kills it a number of milliseconds after it has opened the cluster. Returns the last number that it acknowledged. */
async function writeAndDie(options: object, from: number, afterMs: number): Promise<number> {
  const script = join(import.meta.dirname, 'crash-writer.ts')
  const writer = spawn(process.execPath, [script, JSON.stringify(options), String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(writer, 'exit')
  let last = from - 1
  for await (const line of createInterface({ input: writer.stdout })) {
    if (line === 'open') setTimeout(() => writer.kill('SIGKILL'), afterMs)
    else last = Number(line)
  }
  const [code, signal] = await ended
  expect([code, signal]).toEqual([null, 'SIGKILL'])
  return last
}

async function hasBatch(engine: Engine, number: number): Promise<boolean> {
  const { url, acquiredAt } = batchOf(number).at(-1)!
  const page = await engine.page(url, { queryTime: acquiredAt! })
  return page?.acquiredAt === acquiredAt
}

describe.skipIf(!servers)('a writer of a cluster that is killed', () => {
  it(
    'loses nothing that it acknowledged, and leaves whole changes, which the next reader finishes',
    async () => {
      const options = { ...servers!, name: newName() }
      const folder = await mkdtemp(join(tmpdir(), 'asof-crashes-'))
      const local = await open(folder, { searchThreads: 0 })
      const cluster = await openCluster(options)
      let next = 0
      let unfinished = 0
      try {
        for (let kill = 0; kill < kills; kill++) {
          const last = await writeAndDie(options, next, 100 + ((kill * 173) % 1200))
          // A batch of captures is one change of the cluster: its last capture is there, or none is.
          let here = next
          for (; await hasBatch(cluster, here); here++) await local.add(batchOf(here))
          expect(here).toBeGreaterThan(last)
          unfinished += here - 1 - last
          next = here
          for (const queryTime of [next, next * 0.6, next * 0.2].map(at => FIRST_AT + Math.floor(at * 1000)))
            for (const query of queries) {
              const expected = await local.search(query, { queryTime })
              const { results, receipt } = await cluster.search(query, { queryTime })
              expect(results).toEqual(expected.results)
              expect(receipt.captures).toBe(expected.receipt.captures)
            }
          expect((await cluster.stats()).captures).toBe((await local.stats()).captures)
        }
        console.log(
          `${kills} kills, ${next * BATCH} captures; ${unfinished} changes were in the journal but not acknowledged`,
        )
      } finally {
        await cluster.close()
        await local.close()
        await rm(folder, { recursive: true })
      }
    },
    300_000 + kills * 30_000,
  )
})
