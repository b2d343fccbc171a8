import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, examine, type ObservationInput, open, repair } from '../../../core/index.ts'
import { columnOrder } from '../../../core/segment/columns/columns.ts'
import { Stream } from '../../../core/segment/streams.ts'
import { verifiedValue } from '../../../core/store/integrity/checksum.ts'
import {
  aliasKey,
  allBodies,
  chunkKey,
  claimKey,
  firstNumberOfKey,
  identityKey,
  manifestKey,
} from '../../../core/store/keys.ts'
import { BodyPackReader } from '../../../core/store/records/body-pack.ts'
import { damaged, flip, repairedLike, withoutTermIndexes } from './damaged-index.ts'
import {
  type Answers,
  answersOf,
  copied,
  END_AT,
  historyOf,
  play,
  tamper,
  undated,
  withFolder,
} from './written-history.ts'

const sessions = historyOf(7, { sessions: 4, perSession: 20 })
const events = sessions.flat()

let root: string
let original: string
let right: Answers

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-repair-'))
  original = path.join(root, 'original')
  for (const [i, session] of sessions.entries()) await play(original, session, { merging: i === 2 })
  right = await answersOf(await copied(original, path.join(root, 'read')), events)
})

afterAll(() => rm(root, { recursive: true }))

/** Observations with a collision, whose winner is another capture, and everything else that can be declared. */
const declared: ObservationInput[] = [
  { url: 'https://a.example/', text: 'fern lost', acquiredAt: 1000, aliases: ['https://a.example/lost'] },
  { url: 'https://a.example/', text: 'fern', acquiredAt: 2000 },
  { url: 'https://a.example/', text: 'fern', author: 'Ann', acquiredAt: 3000 },
  { url: 'https://a.example/', text: 'fern won', acquiredAt: 1000 },
  { url: 'https://a.example/', seenAt: 4000, unchangedSince: 3000, aliases: ['https://a.example/old'] },
  { url: 'https://a.example/', removedAt: 5000 },
  { url: 'https://b.example/', text: 'fern removed at once', acquiredAt: 1000 },
  { url: 'https://b.example/', removedAt: 1000 },
  { url: 'https://c.example/', removedAt: 7000 },
]

it('opening an index again, and repairing it, keep what was declared and nothing that lost its millisecond', async () => {
  const dir = path.join(root, 'declared')
  const opened = async <T>(use: (engine: Engine) => Promise<T>): Promise<T> => {
    const engine = await open(dir, { now: () => 10_000, searchThreads: 0, mergePolicy: () => [] })
    try {
      return await use(engine)
    } finally {
      await engine.close()
    }
  }
  const said = async (engine: Engine) => {
    const answers = []
    for (const queryTime of [1000, 2000, 3000, 4999, 5000, 9000]) {
      const { results, receipt } = await engine.search('fern lost', { queryTime })
      answers.push(results, receipt.captures, receipt.declared)
    }
    const { captures, urls } = await engine.stats()
    return { answers, captures, urls, history: await engine.export() }
  }
  const before = await opened(async engine => {
    for (const observation of declared) await engine.add([observation])
    return said(engine)
  })
  expect([before.captures, before.urls, before.history.observations.length]).toEqual([2, 1, 7])
  expect(before.answers.filter(each => typeof each === 'number')).toEqual([1, 1, 1, 2, 1, 3, 1, 3, 0, 4, 0, 4])
  expect(await opened(said)).toEqual(before)
  expect(await examine(dir)).toMatchObject({ sound: true, strays: 0, captures: 2, urls: 1 })
  expect(await repair(dir)).toMatchObject({ captures: 2, urls: 1, lost: [], historiesPatched: 0 })
  expect(await examine(dir)).toMatchObject({ sound: true, strays: 0 })
  expect(await opened(said)).toEqual(before)
})

describe('a damaged index', () => {
  it.each([
    ['postings', Stream.postings],
    ['positions', Stream.positions],
    ['dictionary', Stream.dictionary],
    ['term index', Stream.index],
    ['captureIds', Stream.columns],
  ])('that lacks a chunk of its %s is made whole again from its pages', async (name, stream) => {
    const dir = await damaged(root, original, dir =>
      tamper(dir, async database => {
        const chunk = stream === Stream.columns ? columnOrder.indexOf('lengths') : 0
        for (let segment = 1; segment < 200; segment++) await database.del(chunkKey(segment, stream, chunk))
      }),
    )
    const found = await examine(dir)
    expect(found.sound, name).toBe(false)
    const report = await repair(dir)
    expect(report).toMatchObject({ lost: [], datesLost: 0, historiesPatched: 0 })
    expect(await answersOf(dir, events)).toEqual(right)
  })

  it('that has lost its columns keeps every page and instant, and reports that dates are lost', async () => {
    const dir = await damaged(root, original, dir =>
      tamper(dir, async database => {
        for (let segment = 1; segment < 200; segment++)
          for (let chunk = 0; chunk < columnOrder.length; chunk++)
            await database.del(chunkKey(segment, Stream.columns, chunk))
      }),
    )
    const report = await repair(dir)
    expect(report).toMatchObject({ lost: [], historiesPatched: 0 })
    expect(report.datesLost).toBeGreaterThan(0)
    expect(undated(await answersOf(dir, events))).toEqual(undated(right))
  })

  it('with a damaged pack of bodies loses only its captures, and names them', async () => {
    let captureIds: number[] = []
    const dir = await damaged(root, original, dir =>
      tamper(dir, async database => {
        const packs = await database.iterator(allBodies).all()
        const [key, value] = packs[Math.floor(packs.length / 2)]!
        captureIds = new BodyPackReader(firstNumberOfKey(key), verifiedValue(key, value)).captureIds
        value[20]! ^= 1
        await database.put(key, value)
        // The pack that was there before would be found in an older table.
        await database.compactRange(key, key)
      }),
    )
    const report = await repairedLike(dir, events)
    expect(captureIds.length).toBeGreaterThan(0)
    expect(report.lost).toHaveLength(captureIds.length)
    for (const { url, acquiredAt } of report.lost) {
      expect(url).toMatch(/^https:\/\/site/)
      expect(events.map(({ at }) => at)).toContain(acquiredAt)
    }
  })

  it.each([
    ['manifest', manifestKey],
    ['identity', identityKey],
  ])('with a damaged %s is rebuilt whole', async (_, key) => {
    const dir = await damaged(root, original, dir =>
      tamper(dir, async database => {
        const value = (await database.get(key)) as Uint8Array
        value[value.length >> 1]! ^= 1
        await database.put(key, value)
      }),
    )
    await expect(open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
    const report = await repair(dir)
    expect(report.lost).toEqual([])
    expect(await answersOf(dir, events)).toEqual(right)
  })

  it.each(['CURRENT', 'MANIFEST'])('whose %s is missing is repaired completely', async name => {
    const dir = await damaged(root, original, async (_, index) => {
      for (const file of await readdir(index)) if (file.startsWith(name)) await rm(path.join(index, file))
    })
    await expect(open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
    // Opening must not have touched anything: LevelDB would begin anew and delete the tables.
    const report = await repair(dir)
    expect(report.lost).toEqual([])
    expect(await answersOf(dir, events)).toEqual(right)
  })

  it('whose log was cut off is rejected when it is opened', async () => {
    const dir = await damaged(root, original, async (_, index) => {
      const log = (await readdir(index)).filter(file => file.endsWith('.log'))[0]!
      const bytes = await readFile(path.join(index, log))
      await writeFile(path.join(index, log), bytes.subarray(0, bytes.length / 2))
    })
    await expect(open(dir)).rejects.toMatchObject({
      code: 'ASOF_STORE_CORRUPT',
      message: expect.stringContaining('acknowledged'),
    })
    const found = await examine(dir)
    expect(found.problems[0]).toContain('acknowledged')
    const report = await repair(dir)
    expect(report.captures).toBeGreaterThan(0)
    const engine = await open(dir, { now: () => END_AT })
    expect((await engine.stats()).captures).toBe(report.captures)
    await engine.close()
  })

  it('with a damaged record in its log loses only that record', async () => {
    const dir = await damaged(root, original, async (_, index) => {
      const log = (await readdir(index)).filter(file => file.endsWith('.log'))[0]!
      await flip(path.join(index, log), 400)
    })
    await expect(open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
    const report = await repair(dir)
    expect(report.damage).toHaveLength(1)
    expect((await examine(dir)).sound).toBe(true)
  })

  it.each(['record of the alias', 'key of the claim'] as const)(
    'that has lost the %s restores every alias, also of a URL without a page',
    async lost => {
      const isAlias = (event: (typeof events)[number]) => event.kind === 'add' && event.alias !== undefined
      const aliases = events.filter(isAlias) as { url: string; at: number; alias: string }[]
      const pageless = { url: 'https://pageless.example/', aliasedAt: aliases[0]!.at + 1, aliases: [aliases[0]!.alias] }
      const dir = await copied(original, path.join(root, lost))
      const engine = await open(dir, { now: () => END_AT, searchThreads: 0 })
      await engine.add([pageless])
      const before = await engine.export({ maxResults: 1000 })
      await engine.close()
      await tamper(dir, async database => {
        for (const { alias, at, url } of [
          ...aliases,
          { ...pageless, at: pageless.aliasedAt, alias: aliases[0]!.alias },
        ])
          await database.del(lost === 'key of the claim' ? claimKey({ url, at, alias }) : aliasKey(alias))
        await withoutTermIndexes(database)
      })
      await repair(dir)
      const repaired = await open(dir, { now: () => END_AT, searchThreads: 0 })
      expect(await repaired.export({ maxResults: 1000 })).toEqual(before)
      for (const { alias, at, url } of aliases) expect((await repaired.page(alias, { queryTime: at }))?.url).toBe(url)
      expect(await repaired.page(aliases[0]!.alias, { queryTime: pageless.aliasedAt })).toBeUndefined()
      await repaired.close()
    },
  )

  it('accepts new captures after its repair, under new numbers', async () => {
    const dir = await damaged(root, original, dir => tamper(dir, withoutTermIndexes))
    await repair(dir)
    const engine = await open(dir, { now: () => END_AT, searchThreads: 0 })
    await engine.add([{ url: 'https://new.example/', text: 'brandnew' }])
    expect((await engine.search('brandnew')).results).toHaveLength(1)
    await engine.close()
    expect((await examine(dir)).sound).toBe(true)
    expect((await answersOf(dir, events)).pages).toEqual(right.pages)
  })

  it('does not restore purged captures, even if their deletion is lost', async () => {
    const dir = await copied(original, path.join(root, 'purged'))
    const { url } = events[0]!
    const before: [Uint8Array, Uint8Array][] = []
    await tamper(dir, async database => {
      for await (const entry of database.iterator())
        if ('abdru'.includes(String.fromCharCode(entry[0][0]!))) before.push(entry)
    })
    const engine = await open(dir, { now: () => END_AT, searchThreads: 0, mergePolicy: () => [] })
    const purged = await engine.purge(url)
    const { captures } = await engine.stats()
    await engine.close()
    expect(purged).toBeGreaterThan(0)
    await tamper(dir, async database => {
      for (const [key, value] of before) await database.put(key, value)
      await withoutTermIndexes(database)
    })
    expect(await repair(dir)).toMatchObject({ captures, lost: [] })
    const repaired = await open(dir, { now: () => END_AT, searchThreads: 0 })
    for (const event of events.filter(each => each.url === url))
      expect(await repaired.page(url, { queryTime: event.at })).toBeUndefined()
    await repaired.close()
  })

  it('is kept under a new name', async () => {
    const dir = await damaged(root, original, dir => tamper(dir, withoutTermIndexes))
    const before = (await readdir(path.join(dir, 'index'))).filter(name => !name.startsWith('LO')).sort()
    const first = await repair(dir)
    expect(path.basename(first.damagedIndex)).toBe('index.damaged-1')
    expect((await readdir(first.damagedIndex)).filter(name => !name.startsWith('LO')).sort()).toEqual(before)
    expect((await repair(dir)).damagedIndex).toMatch(/index\.damaged-2$/)
    expect((await readdir(dir)).sort()).toEqual(['index', 'index.damaged-1', 'index.damaged-2'])
  })

  it('is not repaired while a process has it open', async () => {
    const dir = await copied(original, path.join(root, 'held'))
    const engine = await open(dir, { now: () => END_AT })
    try {
      await expect(repair(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
      await expect(examine(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
      expect((await engine.search('amber')).results.length).toBeGreaterThan(0)
    } finally {
      await engine.close()
    }
  })

  it('is found at its path after a crash between the renames of the repair', async () => {
    const dir = await copied(original, path.join(root, 'between'))
    await rename(path.join(dir, 'index'), path.join(dir, 'index.repaired'))
    await mkdir(path.join(dir, 'index.damaged-1'))
    expect(await answersOf(dir, events)).toEqual(right)
  })
})

describe('an examination', () => {
  it('finds no problem in an undamaged index, and counts its contents', async () => {
    const dir = await copied(original, path.join(root, 'sound'))
    const engine = await open(dir, { now: () => END_AT })
    const { captures, urls, segments } = await engine.stats()
    await engine.close()
    expect(await examine(dir)).toEqual({
      sound: true,
      damage: [],
      problems: [],
      problemCount: 0,
      captures,
      urls,
      segments,
      strays: 0,
    })
  })

  it('reports that there is no index', () =>
    withFolder(async dir => {
      await expect(examine(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_MISSING' })
      await expect(repair(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_MISSING' })
      expect(await readdir(dir)).toEqual([])
    }))
})
