import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ClassicLevel } from 'classic-level'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Journal } from '../../../service/records/journal.ts'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { pairs, recordStoreContract, visits } from './record-store-contract.ts'

type ChainedBatch = ReturnType<ClassicLevel['batch']>

recordStoreContract('in a folder', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-records-'))
  const records = await JournalRecords.open(path.join(dir, 'records'))
  const remove = async () => {
    await records.close()
    await rm(dir, { recursive: true, force: true })
  }
  return { stores: [records], remove }
})

describe('records in a folder', () => {
  let dir: string
  let records: JournalRecords
  beforeEach(async () => {
    dir = path.join(await mkdtemp(path.join(tmpdir(), 'asof-records-')), 'records')
    records = await JournalRecords.open(dir)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await records.close()
    await rm(path.dirname(dir), { recursive: true, force: true })
  })

  /** Passes every write to `write` until the mocks are restored. */
  function interceptWrites(write: (go: () => Promise<void>) => Promise<void>): void {
    const original = ClassicLevel.prototype.batch as (this: ClassicLevel) => ChainedBatch
    vi.spyOn(ClassicLevel.prototype, 'batch').mockImplementation(function (this: ClassicLevel) {
      const batch = original.call(this)
      const go = batch.write.bind(batch) as (options?: object) => Promise<void>
      batch.write = ((options?: object) => write(() => go(options))) as typeof batch.write
      return batch
    } as never)
  }

  /** Counts one more, in a record that depends on the one before. */
  const raise = () =>
    records.change(async change => {
      const { count } = (await change.find(pairs, ['n'])) ?? { count: 0 }
      await change.put(pairs, { id: ['n'], count: count + 1 })
      return count + 1
    })

  it('share one synced write if their changes arrive together, although each change sees the one before', async () => {
    let writes = 0
    interceptWrites(go => {
      writes += 1
      return go()
    })
    const counts = await Promise.all(Array.from({ length: 100 }, raise))
    expect(writes).toBe(1)
    expect(counts).toEqual(counts.map((_, n) => n + 1))
    expect(await records.find(pairs, ['n'])).toEqual({ id: ['n'], count: 100 })
  })

  it('are not on disk before a change ends, and not found before they are on disk', async () => {
    const { promise: mayWrite, resolve: letWrite } = Promise.withResolvers<void>()
    const { promise: isWriting, resolve: writing } = Promise.withResolvers<void>()
    interceptWrites(async go => {
      writing()
      await mayWrite
      await go()
    })
    let isStored = false
    const stored = records
      .change(change => change.add(visits, { id: 'a', day: 1 }))
      .then(() => {
        isStored = true
      })
    await isWriting
    // Another change knows of it, but says so only when it is on disk.
    const isAdded = records.change(change => change.add(visits, { id: 'a', day: 2 }))
    expect(await records.find(visits, ['a'])).toBeUndefined()
    expect(await records.list(visits, { by: 'day', limit: 9 })).toEqual([])
    expect(isStored).toBe(false)
    letWrite()
    expect(await isAdded).toBe(false)
    expect(await records.find(visits, ['a'])).toEqual({ id: 'a', day: 1 })
    await stored
  })

  it('reject changes that saw one whose write fails, and go on from what is on disk', async () => {
    await raise()
    let second: Promise<number> | undefined
    let third: Promise<unknown> | undefined
    interceptWrites(async () => {
      second ??= raise()
      second.catch(() => {})
      third ??= records.change(change => change.find(pairs, ['n']))
      third.catch(() => {})
      // The change is made while the write of the first one runs.
      await new Promise(resolve => setImmediate(resolve))
      throw new Error('disk full')
    })
    const refused = { code: 'ASOF_STORE_WRITE' }
    await expect(raise()).rejects.toMatchObject(refused)
    await expect(second).rejects.toMatchObject(refused)
    await expect(third).rejects.toMatchObject(refused)
    vi.restoreAllMocks()
    expect(await raise()).toBe(2)
    expect(await records.find(pairs, ['n'])).toEqual({ id: ['n'], count: 2 })
  })

  it('are changed as all changes before left them, also when only some of these are on disk', async () => {
    const writes: PromiseWithResolvers<void>[] = []
    const { promise: isSecond, resolve: second } = Promise.withResolvers<void>()
    interceptWrites(async go => {
      const mayEnd = Promise.withResolvers<void>()
      if (writes.push(mayEnd) === 2) second()
      await mayEnd.promise
      await go()
    })
    const first = raise()
    await expect.poll(() => writes.length).toBe(1)
    const later = raise()
    writes[0]!.resolve()
    expect(await first).toBe(1)
    await isSecond
    const last = raise()
    writes[1]!.resolve()
    expect(await later).toBe(2)
    await expect.poll(() => writes.length).toBe(3)
    writes[2]!.resolve()
    expect(await last).toBe(3)
  })

  it('are never changed by what a failed write would have left, though changes arrive while it is found out', async () => {
    interceptWrites(async () => {
      throw new Error('disk full')
    })
    const open = ClassicLevel.prototype.open as (this: ClassicLevel) => Promise<void>
    const arrived: Promise<number | undefined>[] = []
    let arriving: Promise<void> | undefined
    vi.spyOn(ClassicLevel.prototype, 'open').mockImplementation(async function (this: ClassicLevel) {
      await open.call(this)
      vi.restoreAllMocks()
      // Changes arrive in each of the steps in which the journal finds out what is on disk.
      arriving = (async () => {
        for (let step = 0; step < 30; step++) {
          arrived.push(raise().catch(() => undefined))
          await Promise.resolve()
        }
      })()
    } as never)
    await expect(raise()).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE' })
    await arriving
    const counts = (await Promise.all(arrived)).filter(count => count !== undefined)
    expect(counts.length).toBeGreaterThan(0)
    expect(counts).toEqual(counts.map((_, n) => n + 1))
    expect((await records.find(pairs, ['n']))?.count).toBe(counts.length)
  })

  it('refuse changes while it is found out whether a failed write reached the disk', async () => {
    interceptWrites(async () => {
      throw new Error('disk full')
    })
    vi.spyOn(ClassicLevel.prototype, 'open').mockRejectedValue(new Error('disk full'))
    const refused = { code: 'ASOF_STORE_WRITE' }
    const add = () => records.change(change => change.add(visits, { id: 'a' }))
    await expect(add()).rejects.toMatchObject(refused)
    await expect(add()).rejects.toMatchObject(refused)
    await expect(records.find(visits, ['a'])).rejects.toMatchObject(refused)
    await expect(records.list(visits, { limit: 1 })).rejects.toMatchObject(refused)
    vi.restoreAllMocks()
    // Each rejected call starts another attempt.
    await expect.poll(() => add().catch(() => undefined)).toBe(true)
  })

  it('are the same after they were opened again, and in a copy, which has nothing that came later', async () => {
    await records.change(change => change.put(visits, { id: 'a', day: 1 }))
    const snapshot = records.snapshot()
    await records.change(change => change.put(visits, { id: 'b', day: 2 }))
    await snapshot.copyTo(path.join(dir, 'copy'))
    await snapshot.close()
    const copy = await JournalRecords.open(path.join(dir, 'copy'))
    expect(await copy.list(visits, { by: 'day', limit: 9 })).toEqual([{ id: 'a', day: 1 }])
    await copy.close()
    await records.close()
    records = await JournalRecords.open(dir)
    expect(await records.list(visits, { by: 'day', limit: 9 })).toHaveLength(2)
  })

  it('list what stood together in one state, though changes end meanwhile', async () => {
    await records.change(change => change.put(visits, { id: 'a', day: 0 }))
    let isOver = false
    const moving = (async () => {
      for (let day = 1; !isOver; day++) {
        await records.change(async change => {
          await change.delete(visits, [day % 2 ? 'a' : 'b'])
          await change.put(visits, { id: day % 2 ? 'b' : 'a', day })
        })
      }
    })()
    for (let n = 0; n < 300; n++) {
      const [visit, ...others] = await records.list(visits, { by: 'day', limit: 9 })
      expect([visit?.id, others]).toEqual([visit!.day! % 2 ? 'b' : 'a', []])
    }
    isOver = true
    await moving
  })

  it('report a record that is missing although an entry for a key has its id', async () => {
    await records.change(change => change.put(visits, { id: 'a', day: 1 }))
    await records.close()
    const database = new ClassicLevel(dir)
    for await (const key of database.keys({ gte: 'visit/', lt: 'visit0' })) await database.del(key)
    await database.close()
    records = await JournalRecords.open(dir)
    await expect(records.list(visits, { by: 'day', limit: 9 })).rejects.toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
  })

  it('report damage of a record and of an entry for a key', async () => {
    await records.change(change => change.put(visits, { id: 'a', day: 1 }))
    await records.close()
    const database = new ClassicLevel(dir)
    const damage = async (start: string) => {
      for await (const [key, value] of database.iterator({ gte: start, lt: `${start}~` }))
        await database.put(
          key,
          value.replace(/.$/, character => (character === '}' ? ' ' : '~')),
        )
    }
    await damage('visit.day/')
    await database.close()
    records = await JournalRecords.open(dir)
    const corrupt = { code: 'ASOF_STORE_CORRUPT' }
    expect(await records.find(visits, ['a'])).toEqual({ id: 'a', day: 1 })
    await expect(records.list(visits, { by: 'day', limit: 9 })).rejects.toMatchObject(corrupt)
    await records.close()
    await database.open()
    await damage('visit/')
    await database.close()
    records = await JournalRecords.open(dir)
    await expect(records.find(visits, ['a'])).rejects.toMatchObject(corrupt)
    await expect(records.change(change => change.add(visits, { id: 'a' }))).rejects.toMatchObject(corrupt)
    expect(await records.change(change => change.add(visits, { id: 'b' }))).toBe(true)
  })

  it('can be opened by one process at a time', async () => {
    await expect(JournalRecords.open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
    await expect(Journal.open(dir, () => {})).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
  })

  it.skipIf(process.platform === 'win32')('are in a private folder, also in one that was open to others', async () => {
    const permissions = async (folder: string) => (await stat(folder)).mode & 0o777
    expect(await permissions(dir)).toBe(0o700)
    await records.close()
    await chmod(dir, 0o755)
    records = await JournalRecords.open(dir)
    expect(await permissions(dir)).toBe(0o700)
  })
})
