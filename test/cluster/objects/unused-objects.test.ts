import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clusterTools } from '../../../cluster/index.ts'
import { newName, openTestCluster, servers } from '../test-cluster.ts'
import { clusterOfEachTest, startStore, storeKinds } from './stores.ts'

const pages = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    url: `https://example.com/${n}`,
    text: `secret${n} lamp ${'light '.repeat(50)}`,
  }))
const DAY_MS = 24 * 60 * 60 * 1000

describe.skipIf(!servers).each(storeKinds)('bodies in a store of kind %s', kind => {
  const opened = clusterOfEachTest(kind)

  /** The files of the store, without the marker. */
  const files = async (): Promise<string[]> => {
    const found = await readdir(join(opened.store.folder, opened.name), { recursive: true, withFileTypes: true })
    return found.flatMap(entry =>
      entry.isFile() && entry.name !== 'cluster' ? [join(entry.parentPath, entry.name)] : [],
    )
  }
  const sweep = (now = () => Date.now()) =>
    clusterTools({ ...servers!, name: opened.name, objects: opened.store.url, now }).sweepObjects()

  /** Transactions of other tests in the same database may delay it. */
  const swept = async (): Promise<string[]> => {
    await sweep()
    return files()
  }

  it('are one object for each change, and nowhere readable', async () => {
    const { cluster, sql } = opened
    await cluster.add(pages(20))
    await cluster.add([{ url: 'https://example.com/more', text: 'another lamp' }])
    expect(await files()).toHaveLength(2)
    for (const file of await files()) expect((await readFile(file)).includes('lamp')).toBe(false)
    const [{ longest }] = await sql<[{ longest: number }]>`
      select max(length(value)) as longest from value where get_byte(key, 0) = ascii('b')`
    expect(longest).toBeLessThan(64)
    const { objects } = await cluster.health()
    expect(objects).toMatchObject({ objects: 2 })
    expect((await cluster.search('secret7')).results).toHaveLength(1)
    expect((await cluster.page('https://example.com/7'))?.markdown).toContain('secret7')
  })

  it('of purged pages are gone with the commit, and their object when less than half of it is used', async () => {
    const { cluster, sql } = opened
    await cluster.add(pages(10))
    const [first] = await files()
    for (const n of [0, 1, 2]) await cluster.purge(`https://example.com/${n}`)
    await sweep()
    // More than half is used.
    expect(await files()).toEqual([first])
    for (const n of [3, 4, 5]) await cluster.purge(`https://example.com/${n}`)
    await expect.poll(swept).toHaveLength(1)
    expect(await files()).not.toContain(first)
    for (const n of [6, 7, 8, 9])
      expect((await cluster.page(`https://example.com/${n}`))?.markdown).toContain(`secret${n}`)
    expect(await cluster.page('https://example.com/3')).toBeUndefined()
    for (const n of [6, 7, 8, 9]) await cluster.purge(`https://example.com/${n}`)
    await expect.poll(swept).toEqual([])
    expect(await sql`select * from object`).toEqual([])
  })

  it('stay as long as a transaction can see their references', async () => {
    const { cluster, sql } = opened
    await cluster.add(pages(2))
    const [object] = await files()
    const [ended, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const reader = sql.begin('isolation level repeatable read', async tx => {
      await tx`select * from value`
      ended.resolve()
      await end.promise
    })
    await ended.promise
    for (const n of [0, 1]) await cluster.purge(`https://example.com/${n}`)
    await sweep()
    expect(await files()).toEqual([object])
    end.resolve()
    await reader
    await expect.poll(swept).toEqual([])
  })

  it('of changes that were never made are swept when they are older than a day, and no others', async () => {
    const { cluster, sql } = opened
    await cluster.add(pages(2))
    const known = await files()
    // As after a writer that died before its commit.
    await cluster.add([{ url: 'https://example.com/lost', text: 'lost' }])
    const lost = (await files()).filter(file => !known.includes(file))
    const uuid = lost[0]!.split('/').at(-1)!
    await sql`delete from object where name = ${uuid}`
    expect(await sweep()).toEqual({ deleted: 0 })
    expect(await sweep(() => Date.now() + 2 * DAY_MS)).toEqual({ deleted: 1 })
    expect(await files()).toEqual(known)
  })

  it('that are missing or damaged are an error that names the capture', async () => {
    const { cluster } = opened
    await cluster.add(pages(3))
    const [file] = await files()
    const whole = await readFile(file!)
    const page = () => cluster.page('https://example.com/1')
    const refused = { code: 'ASOF_STORE_CORRUPT', details: { capture: expect.any(Number) } }
    const damaged = Buffer.from(whole)
    for (let byte = 0; byte < damaged.length; byte++) damaged[byte]! ^= 1
    await writeFile(file!, damaged)
    await expect(page()).rejects.toMatchObject(refused)
    await expect(cluster.search('lamp')).rejects.toMatchObject(refused)
    await truncate(file!, 1)
    await expect(page()).rejects.toMatchObject(refused)
    await rm(file!)
    await expect(page()).rejects.toMatchObject(refused)
    await writeFile(file!, whole)
    expect((await page())?.markdown).toContain('secret1')
  })

  it('are expected where they were when the cluster was created', async () => {
    const { name, store } = opened
    const refused = { code: 'ASOF_INVALID_OPTION', details: { field: 'objects' } }
    const other = await startStore(kind)
    try {
      await expect(openTestCluster({ name })).rejects.toMatchObject(refused)
      await expect(openTestCluster({ name, objects: other.url })).rejects.toMatchObject(refused)
      const without = newName()
      await (await openTestCluster({ name: without })).close()
      await expect(openTestCluster({ name: without, objects: store.url })).rejects.toMatchObject(refused)
      await (await openTestCluster({ name, objects: store.url })).close()
    } finally {
      await other.stop()
    }
  })
})
