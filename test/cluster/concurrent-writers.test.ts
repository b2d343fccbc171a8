import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { openCluster } from '../../cluster/index.ts'
import { open } from '../../core/index.ts'
import { histories } from '../histories.ts'
import { SameHistory } from './same-history.ts'
import { SHARED_URLS, sharedAddition } from './shared-script.ts'
import { newName, servers } from './test-cluster.ts'

/** Number of additions of each writer. */
const batches = histories
const BATCH = 30
const urls = Array.from({ length: SHARED_URLS }, (_, n) => `https://example.com/${n}`)

/** Starts a writer. Resolves when it has the cluster open. */
async function startWriter(options: object, name: string): Promise<{ begin: () => Promise<void> }> {
  const words = [join(import.meta.dirname, 'shared-writer.ts'), JSON.stringify(options), name, `${batches}`, `${BATCH}`]
  const writer = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(writer, 'exit')
  await once(createInterface({ input: writer.stdout }), 'line')
  return {
    async begin() {
      writer.stdin.write('begin\n')
      expect(await ended).toEqual([0, null])
    },
  }
}

/** Counts what the connections of a cluster do and wait for, again and again until it is stopped. */
function watchConnections(name: string): { stop: () => Promise<Map<string, number>> } {
  const sql = postgres(servers!.database, { onnotice: () => {}, max: 1 })
  const seen = new Map<string, number>()
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const rows = await sql<{ doing: string }[]>`
        select case
          when wait_event = 'advisory' then 'wait to apply'
          when wait_event_type = 'Lock' then 'wait for the state row'
          when state = 'idle in transaction' then 'transaction, waits for its server'
          when state = 'active' then 'statement'
          else 'idle' end as doing
        from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
          and pid in (select pid from pg_locks where relation in
            (select oid from pg_class where relnamespace = to_regnamespace(${name})) or locktype in ('advisory', 'tuple'))`
      for (const { doing } of rows) seen.set(doing, (seen.get(doing) ?? 0) + 1)
      seen.set('samples', (seen.get('samples') ?? 0) + 1)
      await sleep(10)
    }
    await sql.end()
  })()
  return {
    async stop() {
      isOver = true
      await watching
      return seen
    },
  }
}

describe.skipIf(!servers)('several processes that write the same pages of a cluster at once', () => {
  it.each([1, 2, 4])('leave the history of one order in which %d of them can have written', async count => {
    const name = newName()
    const options = { ...servers!, name }
    const folder = await mkdtemp(join(tmpdir(), 'asof-writers-'))
    const local = await open(folder, { searchThreads: 0 })
    const cluster = await openCluster(options)
    try {
      const names = Array.from({ length: count }, (_, n) => `writer${n}`)
      const writers = await Promise.all(names.map(writer => startWriter(options, writer)))
      const watch = watchConnections(name)
      const started = performance.now()
      await Promise.all(writers.map(writer => writer.begin()))
      const seconds = (performance.now() - started) / 1000
      const seen = await watch.stop()
      const captures = count * batches * BATCH
      console.log(`${count} writers: ${Math.round(captures / seconds)} captures/s;`, Object.fromEntries(seen))

      const same = new SameHistory(cluster, local)
      const { receipt } = await cluster.search('river')
      await same.follow(urls, receipt.instant)
      expect((await cluster.stats()).captures).toBe(captures)
      // Nothing is lost or twice, and what one process wrote is in the order in which it did.
      const lastOf = new Map<string, number>()
      for (const text of same.texts) {
        const [writer, n] = text.split(' ').slice(-2) as [string, string]
        const page = `${writer} ${Number(n) % SHARED_URLS}`
        expect(Number(n)).toBeGreaterThan(lastOf.get(page) ?? -1)
        lastOf.set(page, Number(n))
      }
      const all = names.flatMap(writer =>
        Array.from({ length: batches }, (_, b) => sharedAddition(writer, b, BATCH)).flat(),
      )
      expect([...same.texts].sort()).toEqual(all.map(({ text }) => String(text)).sort())
      for (const share of [0.1, 0.5, 1]) {
        const first = (await local.stats()).oldest!
        const queryTime = Math.floor(first + (receipt.instant - first) * share)
        for (const query of ['river stone', '"stone light"', 'winter -harvest', 'writer0 7']) {
          const { results, receipt: of } = await cluster.search(query, { queryTime })
          const expected = await local.search(query, { queryTime })
          expect(results).toEqual(expected.results)
          expect(of.captures).toBe(expected.receipt.captures)
        }
      }
    } finally {
      await cluster.close()
      await local.close()
      await rm(folder, { recursive: true })
    }
  })
})
