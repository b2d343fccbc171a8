import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ClassicLevel } from 'classic-level'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Journal } from '../../../service/records/journal.ts'

type ChainedBatch = ReturnType<ClassicLevel['batch']>

describe('the journal', () => {
  let dir: string
  let journal: Journal
  let losses: number
  beforeEach(async () => {
    dir = path.join(await mkdtemp(path.join(tmpdir(), 'asof-journal-')), 'access')
    losses = 0
    journal = await Journal.open(dir, () => {
      losses += 1
    })
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await journal.close()
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

  it('refuses a record that JSON cannot have, and stores the others of the same write', async () => {
    const round: unknown[] = []
    round.push(round)
    const stored = journal.commit([['a', 1]])
    for (const record of [2n, round, () => {}])
      expect(() =>
        journal.commit([
          ['a', 3],
          ['b', record],
        ]),
      ).toThrow(TypeError)
    await stored
    expect([journal.read('a'), journal.read('b'), losses]).toEqual([1, undefined, 0])
  })

  it('stores a record as it was when it was committed', async () => {
    const record = { count: 1 }
    const stored = journal.commit([['a', record]])
    record.count = 2
    await stored
    expect(journal.read('a')).toEqual({ count: 1 })
  })

  it('puts commits that arrive together into one synced write', async () => {
    let writes = 0
    interceptWrites(go => {
      writes += 1
      return go()
    })
    await Promise.all(Array.from({ length: 100 }, (_, i) => journal.commit([[`a/${i}`, i]])))
    expect(writes).toBe(1)
    expect(await journal.list({ gt: 'a/', lt: 'a0' }, { limit: 1_000 })).toHaveLength(100)
  })

  it('deletes a record that is committed as undefined', async () => {
    await journal.commit([['a', 1]])
    await journal.commit([['a', undefined]])
    expect(journal.read('a')).toBeUndefined()
  })

  it('rejects the commits of a failed write and those that arrived later, then works again', async () => {
    await journal.commit([['a', 1]])
    interceptWrites(async () => {
      // A commit that builds on the failing write arrives while it runs.
      void behind()
      throw new Error('disk full')
    })
    let second: Promise<void> | undefined
    const behind = () => {
      second = journal.commit([['c', 3]])
      second.catch(() => {})
    }
    await expect(journal.commit([['b', 2]])).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE' })
    await expect(second).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE' })
    expect(losses).toBe(1)
    vi.restoreAllMocks()
    expect([journal.read('a'), journal.read('b'), journal.read('c')]).toEqual([1, undefined, undefined])
    await journal.commit([['b', 2]])
    expect(journal.read('b')).toBe(2)
  })

  it('treats a write as done if it reached the disk although it was reported as failed', async () => {
    interceptWrites(async go => {
      await go()
      throw new Error('so it seems')
    })
    await journal.commit([['a', 1]])
    vi.restoreAllMocks()
    expect(journal.read('a')).toBe(1)
    expect(losses).toBe(1)
  })

  it('rejects every call until it can be reopened, then works again', async () => {
    interceptWrites(async () => {
      throw new Error('disk full')
    })
    vi.spyOn(ClassicLevel.prototype, 'open').mockRejectedValue(new Error('disk full'))
    await expect(journal.commit([['a', 1]])).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE' })
    expect(() => journal.read('a')).toThrow(expect.objectContaining({ code: 'ASOF_STORE_WRITE' }))
    vi.restoreAllMocks()
    // Each rejected call starts another attempt.
    await expect.poll(() => journal.read('a')).toBeUndefined()
    await journal.commit([['a', 2]])
    expect(journal.read('a')).toBe(2)
  })

  it('rejects calls while it finds out whether a failed write reached the disk', async () => {
    interceptWrites(async () => {
      throw new Error('disk full')
    })
    const open = ClassicLevel.prototype.open as (this: ClassicLevel) => Promise<void>
    const { promise: mayOpen, resolve: letOpen } = Promise.withResolvers<void>()
    const { promise: isReopening, resolve: reopening } = Promise.withResolvers<void>()
    vi.spyOn(ClassicLevel.prototype, 'open').mockImplementation(async function (this: ClassicLevel) {
      reopening()
      await mayOpen
      await open.call(this)
    } as never)
    const failed = journal.commit([['a', 1]])
    failed.catch(() => {})
    await isReopening
    const refused = expect.objectContaining({ code: 'ASOF_STORE_WRITE' })
    expect(() => journal.commit([['b', 2]])).toThrow(refused)
    expect(() => journal.read('a')).toThrow(refused)
    letOpen()
    await expect(failed).rejects.toEqual(refused)
    vi.restoreAllMocks()
    await journal.commit([['b', 2]])
    expect(journal.read('b')).toBe(2)
  })

  it('detects damaged and misplaced records', async () => {
    await journal.commit([
      ['organization/a', { credits: 1 }],
      ['organization/b', { credits: 2 }],
    ])
    await journal.close()
    const database = new ClassicLevel(dir)
    const stored = (await database.get('organization/a'))!
    await database.put('organization/a', stored.replace('1}', '9}'))
    await database.put('organization/c', (await database.get('organization/b'))!)
    await database.close()
    journal = await Journal.open(dir, () => {})
    const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })
    expect(() => journal.read('organization/a')).toThrow(corrupt)
    expect(() => journal.read('organization/c')).toThrow(corrupt)
    expect(journal.read('organization/b')).toEqual({ credits: 2 })
    await expect(journal.list({ gt: 'organization/', lt: 'organization0' }, { limit: 9 })).rejects.toMatchObject({
      code: 'ASOF_STORE_CORRUPT',
    })
  })

  it('can be opened once at a time, and rejects a newer format', async () => {
    await expect(Journal.open(dir, () => {})).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
    await journal.commit([['format', 2]])
    await journal.close()
    await expect(Journal.open(dir, () => {})).rejects.toMatchObject({ code: 'ASOF_STORE_FORMAT' })
    const database = new ClassicLevel(dir)
    await database.del('format')
    await database.close()
    journal = await Journal.open(dir, () => {})
  })
})
