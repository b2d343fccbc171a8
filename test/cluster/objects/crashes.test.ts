import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { clusterTools } from '../../../cluster/index.ts'
import { batchOf } from '../crash-script.ts'
import { servers } from '../test-cluster.ts'
import { clusterOfEachTest, storeKinds } from './stores.ts'

const DAYS_LATER = () => Date.now() + 2 * 24 * 60 * 60 * 1000

describe.skipIf(!servers).each(storeKinds)('a writer that is killed, with bodies in a store of kind %s', kind => {
  const opened = clusterOfEachTest(kind)

  const objectsInStore = async (): Promise<string[]> => {
    const found = await readdir(join(opened.store.folder, opened.name), { recursive: true, withFileTypes: true })
    return found.flatMap(({ name: file }) => (/^[0-9a-f-]{36}$/.test(file) ? [file] : [])).sort()
  }
  const objectsInUse = async (): Promise<string[]> =>
    (await opened.sql<{ name: string }[]>`select name::text from object order by 1`).map(row => row.name)

  const startWriter = (from: number): { writer: ChildProcess; acknowledged: () => AsyncIterable<string> } => {
    const script = join(import.meta.dirname, '..', 'crash-writer.ts')
    const options = JSON.stringify({ ...servers, name: opened.name, objects: opened.store.url })
    const writer = spawn(process.execPath, [script, options, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] })
    return { writer, acknowledged: () => createInterface({ input: writer.stdout! }) }
  }

  it('between the put and the commit leaves no page, and an object that is swept', async () => {
    const { cluster, name, sql, store } = opened
    const { writer, acknowledged } = startWriter(0)
    let last = -1
    for await (const line of acknowledged()) {
      if (line !== 'open') last = Number(line)
      if (last === 0) break
    }
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const lock = sql.begin(async tx => {
      // The writer cannot record its object, so it does not commit.
      await tx`lock table object in exclusive mode`
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const made = await objectsInUse()
    await expect.poll(objectsInStore).toHaveLength(made.length + 1)
    const ended = once(writer, 'exit')
    writer.kill('SIGKILL')
    await ended
    released.resolve()
    await lock
    const { captures } = await cluster.stats()
    expect(await objectsInUse()).toEqual(made)
    // The lock of the dead writer ends when PostgreSQL notices that its client is gone.
    await cluster.add([{ url: 'https://example.com/new', text: 'new' }])
    expect((await cluster.stats()).captures).toBe(captures + 1)
    expect(await clusterTools({ ...servers!, name, objects: store.url }).sweepObjects()).toEqual({ deleted: 0 })
    const late = { ...servers!, name, objects: store.url, now: DAYS_LATER }
    expect(await clusterTools(late).sweepObjects()).toEqual({ deleted: 1 })
    expect(await objectsInStore()).toEqual(await objectsInUse())
    for (const { url } of batchOf(0)) expect(await cluster.page(url)).toBeDefined()
  })

  it('at any moment loses no body that it acknowledged', async () => {
    const { cluster, name, sql, store } = opened
    let next = 0
    for (let kill = 0; kill < 4; kill++) {
      const { writer, acknowledged } = startWriter(next)
      const ended = once(writer, 'exit')
      // One is killed in its first batches, and those after it once they have acknowledged one, however slow the machine is.
      for await (const line of acknowledged()) {
        if (line !== 'open') next = Number(line) + 1
        if (kill === 0 || line !== 'open') setTimeout(() => writer.kill('SIGKILL'), 50 + kill * 73)
      }
      await ended
      // A batch that was made but not acknowledged is made again, which changes nothing.
      for (let number = 0; number < next; number++)
        for (const { url, acquiredAt, text } of batchOf(number)) {
          const page = await cluster.page(url, { queryTime: acquiredAt! })
          expect(page?.acquiredAt === acquiredAt ? page!.markdown : text).toBe(text)
        }
    }
    expect(next).toBeGreaterThan(0)
    const [{ captures }] = await sql<[{ captures: number }]>`
      select count(*)::int as captures from value where get_byte(key, 0) = ascii('b')`
    expect(captures).toBe((await cluster.stats()).captures)
    await clusterTools({ ...servers!, name, objects: store.url, now: DAYS_LATER }).sweepObjects()
    expect(await objectsInStore()).toEqual(await objectsInUse())
    expect((await cluster.export({ maxResults: 1000 })).observations.length).toBeGreaterThanOrEqual(captures)
  })
})
