import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open, type SearchAnswer } from '../../core/index.ts'

const PAGE = 'https://a.example/'
const NOW = Date.UTC(2026, 0, 1)

let engine: Engine

beforeEach(async () => {
  engine = await open(':memory:', { now: () => NOW })
})

afterEach(() => engine.close())

const warningOf = async (asked: Promise<SearchAnswer>) => (await asked).warning

describe('a search of an index without pages', () => {
  it('has a warning', async () => {
    expect(await engine.search('anything')).toMatchObject({
      results: [],
      warning: 'the index holds no page',
      receipt: { captures: 0 },
    })
    expect(await warningOf(engine.search('any AND thing', { mode: 'webql' }))).toBe('the index holds no page')
  })

  it('has a warning as of an instant before the first capture, which does not reveal when that was acquired', async () => {
    const queryTime = '2025-01-01'
    const before = await engine.search('ticket', { queryTime })
    expect(before.warning).toBe('the index holds no page as of 2025-01-01T00:00:00.000Z')
    await engine.add([{ url: PAGE, text: 'a ticket', acquiredAt: '2025-03-01' }])
    expect(await engine.search('ticket', { queryTime })).toEqual(before)
    expect(await warningOf(engine.search('ticket', { queryTime: '2025-03-01' }))).toBeUndefined()
  })

  it('has a warning if all pages had been removed or purged by then', async () => {
    await engine.add([
      { url: PAGE, text: 'a ticket', acquiredAt: '2025-03-01' },
      { url: `${PAGE}2`, text: 'a ticket', acquiredAt: '2025-03-02' },
    ])
    await engine.remove(PAGE)
    expect(await warningOf(engine.search('nothing'))).toBeUndefined()
    await engine.purge(`${PAGE}2`)
    expect(await warningOf(engine.search('nothing'))).toBe('the index holds no page')
    expect(await warningOf(engine.search('nothing', { queryTime: '2025-03-01' }))).toBeUndefined()
  })

  it('has this warning in addition to others', async () => {
    expect(await warningOf(engine.search(PAGE))).toMatch(/^the query is a URL: .*; the index holds no page$/)
    expect(await warningOf(engine.search('site:a.example'))).toMatch(/^the query held only a site: .* holds no page$/)
  })
})

describe('a search that finds nothing in an index with pages', () => {
  it('has no warning', async () => {
    await engine.add([{ url: PAGE, text: 'a ticket' }])
    expect(await warningOf(engine.search('zebra'))).toBeUndefined()
    expect(await warningOf(engine.search('ticket', { site: 'b.example' }))).toBeUndefined()
  })
})

describe('open with create: false', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'asof-empty-'))
  })
  afterEach(() => rm(dir, { recursive: true }))

  it('rejects a folder that does not exist, names it, and creates nothing', async () => {
    const missing = path.join(dir, 'missing', 'data')
    await expect(open(missing, { create: false })).rejects.toMatchObject({
      code: 'ASOF_STORE_MISSING',
      message: `there is no index in ${missing}: the folder does not exist`,
      details: { dir: missing },
    })
    expect(await readdir(dir)).toEqual([])
  })

  it('rejects a folder without an index, and creates none', async () => {
    const bare = await mkdtemp(path.join(dir, 'bare-'))
    await expect(open(bare, { create: false })).rejects.toMatchObject({
      code: 'ASOF_STORE_MISSING',
      message: `there is no index in ${bare}`,
    })
    expect(await readdir(bare)).toEqual([])
  })

  it('opens an existing index, even an empty one', async () => {
    await (await open(dir, { now: () => NOW })).close()
    const empty = await open(dir, { create: false, now: () => NOW })
    expect((await empty.stats()).captures).toBe(0)
    await empty.add([{ url: PAGE, text: 'a ticket' }])
    await empty.close()
    const filled = await open(dir, { create: false, now: () => NOW })
    expect((await filled.search('ticket')).results).toHaveLength(1)
    await filled.close()
  })
})
