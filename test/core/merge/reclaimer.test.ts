import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Reclaimer } from '../../../core/merge/reclaimer.ts'
import { FolderStore } from '../../../core/store/folder-store.ts'
import { bodyKey, bodyRange, documentRange, type KeyRange, segmentRange, wasteKey } from '../../../core/store/keys.ts'

const MB = 1024 * 1024

let dir: string
let store: FolderStore

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-reclaimer-'))
  store = await FolderStore.open(dir, { cacheBytes: 1024 })
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})

/** True if any file of the store still contains the text. */
async function isOnDisk(text: string): Promise<boolean> {
  for (const name of await readdir(dir)) if ((await readFile(join(dir, name), 'latin1')).includes(text)) return true
  return false
}

const body = (text: string) => ({ type: 'put' as const, key: bodyKey(1), value: Buffer.from(text) })

describe('reclaiming', () => {
  it('removes deleted and overwritten values from the disk', async () => {
    await store.commit([body('oldwords')])
    const reclaimer = new Reclaimer(store)
    await store.commit([body('newwords'), reclaimer.note([bodyRange(1)], 8)])
    expect(await isOnDisk('oldwords')).toBe(true)
    await reclaimer.run()
    expect([await isOnDisk('oldwords'), await isOnDisk('newwords')]).toEqual([false, true])
    expect(reclaimer.isEmpty).toBe(true)
    expect(store.get(wasteKey)).toBeUndefined()
  })

  it('is due above a number of bytes, or if it is urgent', async () => {
    const reclaimer = new Reclaimer(store)
    expect(reclaimer.isDue(0)).toBe(false)
    await store.commit([reclaimer.note([segmentRange(1)], 31 * MB)])
    expect(reclaimer.isDue(32 * MB)).toBe(false)
    expect(reclaimer.isDue(31 * MB)).toBe(true)
    await store.commit([reclaimer.note([segmentRange(2)], 9 * MB)])
    expect(reclaimer.isDue(40 * MB)).toBe(true)
    expect(reclaimer.isDue(41 * MB)).toBe(false)
    reclaimer.hasten()
    expect(reclaimer.isDue(1000 * MB)).toBe(true)
    await reclaimer.run()
    expect(reclaimer.isDue(0)).toBe(false)
  })

  it('stays noted in the store until it is done', async () => {
    const before = new Reclaimer(store)
    await store.commit([body('oldwords'), before.note([bodyRange(1)], 8)])
    const after = new Reclaimer(store)
    expect(after.isEmpty).toBe(false)
    await store.commit([{ type: 'del', key: bodyKey(1) }])
    await after.run()
    expect(await isOnDisk('oldwords')).toBe(false)
    expect(new Reclaimer(store).isEmpty).toBe(true)
  })

  it('waits while a snapshot of the store is in use, and does not count a compaction that ran meanwhile', async () => {
    const reclaimer = new Reclaimer(store)
    await store.commit([body('oldwords'), reclaimer.note([bodyRange(1)], 8)])
    const release = reclaimer.hold()
    await reclaimer.run()
    expect(reclaimer.isEmpty).toBe(false)
    release()
    const running = reclaimer.run()
    reclaimer.hold()()
    await running
    expect(reclaimer.isEmpty).toBe(false)
    await reclaimer.run()
    expect(reclaimer.isEmpty).toBe(true)
  })

  it('keeps ranges that are noted while it runs', async () => {
    const reclaimer = new Reclaimer(store)
    await store.commit([body('oldwords'), reclaimer.note([bodyRange(1)], 8)])
    const running = reclaimer.run()
    await store.commit([body('newwords'), reclaimer.note([bodyRange(1)], 8)])
    await running
    expect(reclaimer.isEmpty).toBe(false)
    await reclaimer.run()
    expect(await isOnDisk('oldwords')).toBe(false)
  })

  it('combines many ranges into few', async () => {
    const reclaimer = new Reclaimer(store)
    const ranges: KeyRange[] = []
    for (let i = 0; i < 5000; i++) ranges.push(documentRange(i * 2), bodyRange(i * 3))
    const note = reclaimer.note(ranges, 1)
    await store.commit([note])
    expect(store.get(wasteKey)?.length).toBeLessThan(200)
    expect(new Reclaimer(store).isEmpty).toBe(false)
  })

  it('rejects an invalid note', async () => {
    for (const [text, code] of [
      ['nonsense', 'ASOF_STORE_CORRUPT'],
      ['null', 'ASOF_STORE_CORRUPT'],
      ['{"version":1}', 'ASOF_STORE_CORRUPT'],
      ['{"version":1,"ranges":[["62"]]}', 'ASOF_STORE_CORRUPT'],
      ['{"version":2}', 'ASOF_STORE_FORMAT'],
    ] as const) {
      await store.commit([{ type: 'put', key: wasteKey, value: Buffer.from(text) }])
      expect(() => new Reclaimer(store), text).toThrow(expect.objectContaining({ code }))
    }
  })
})
