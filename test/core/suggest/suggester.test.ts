import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Engine, open, type Reads } from '../../../core/index.ts'
import { TitleColumnsBuilder } from '../../../core/suggest/title-columns.ts'

let engine: Engine

const page = (path: string, title: string, host = 'pages.example') => ({
  url: `https://${host}/${path}`,
  title,
  text: `text of ${path}`,
})
const texts = async (text: string, limit?: number) =>
  (await engine.suggest(text, limit === undefined ? {} : { maxResults: limit })).map(suggestion => suggestion.text)

beforeEach(async () => {
  engine = await open(':memory:')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await engine.close()
})

describe('suggestions', () => {
  it('are titles and sites whose words begin with the typed words', async () => {
    await engine.add([page('1', 'The Old Harbour'), page('2', 'Harvest time', 'harvest.example'), page('3', 'Stone')])
    expect(await engine.suggest('harv')).toEqual(
      expect.arrayContaining([
        { kind: 'title', text: 'Harvest time', url: 'https://harvest.example/2' },
        { kind: 'site', text: 'harvest.example' },
      ]),
    )
    expect(await texts('old harb')).toEqual(['The Old Harbour'])
    expect((await texts('har')).sort()).toEqual(['Harvest time', 'The Old Harbour', 'harvest.example'])
    expect(await texts('arbour')).toEqual([])
  })

  it('contain a title once, however many pages have it, and no more than the limit', async () => {
    await engine.add(Array.from({ length: 30 }, (_, i) => page(String(i), i % 2 === 0 ? 'Same title' : `Title ${i}`)))
    expect((await texts('same')).length).toBe(1)
    expect((await texts('title', 3)).length).toBe(3)
    expect((await texts('title')).length).toBe(10)
  })

  it('prefer the first page by URL among pages of one instant, in whatever order these were added', async () => {
    const at = Date.UTC(2024, 0, 1)
    const pages = ['3', '1', '2'].map(path => ({ ...page(path, 'Same title'), acquiredAt: at }))
    for (const one of pages) await engine.add([one])
    expect(await engine.suggest('same')).toEqual([
      { kind: 'title', text: 'Same title', url: 'https://pages.example/1' },
    ])
  })

  it('leave out pages that were removed, purged or renamed', async () => {
    await engine.add([page('1', 'River one'), page('2', 'River two'), page('3', 'River three')])
    expect((await texts('river')).length).toBe(3)
    await engine.remove('https://pages.example/1')
    await engine.purge('https://pages.example/2')
    await engine.add([page('3', 'Stream three')])
    expect(await texts('river')).toEqual([])
  })

  it('are collected again in the background, and before the answer if they are a minute old', async () => {
    const now = performance.now.bind(performance)
    let laterMs = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs)
    try {
      await engine.add([page('1', 'River one')])
      expect(await texts('river')).toEqual(['River one'])
      await engine.add([page('2', 'River two')])
      expect(await texts('river')).toEqual(['River one'])
      laterMs += 11_000
      expect(await texts('river')).toEqual(['River one'])
      await expect.poll(() => texts('river')).toEqual(['River two', 'River one'])
      await engine.add([page('3', 'River three')])
      laterMs += 61_000
      expect(await texts('river')).toHaveLength(3)
    } finally {
      clock.mockRestore()
    }
  })

  it('are collected once for all instants between two changes, sealed or not', async () => {
    const collections = vi.spyOn(TitleColumnsBuilder.prototype, 'build')
    const day = 86_400_000
    const first = Date.UTC(2024, 0, 1)
    const at = (days: number) => first + days * day
    await engine.add([
      { ...page('1', 'River one'), acquiredAt: at(0) },
      { ...page('1', 'River two'), text: 'another text', acquiredAt: at(10) },
    ])
    await engine.remove('https://pages.example/1', { at: at(20) })
    const asOf = async (days: number, asked: Reads = engine) =>
      (await asked.suggest('riv', { queryTime: at(days) })).map(({ text }) => text)
    for (const days of [0, 0.5, 1, 9.9]) expect(await asOf(days)).toEqual(['River one'])
    expect(collections).toHaveBeenCalledTimes(1)
    for (const days of [10, 11, 19.9]) expect(await asOf(days)).toEqual(['River two'])
    expect(collections).toHaveBeenCalledTimes(2)
    for (const days of [20, 30, 100]) expect(await asOf(days)).toEqual([])
    for (const days of [-1, -100]) expect(await asOf(days)).toEqual([])
    expect(collections).toHaveBeenCalledTimes(4)
    const sealed = engine.sealed(at(15))
    expect((await sealed.suggest('riv')).map(({ text }) => text)).toEqual(['River two'])
    expect(await asOf(3, sealed)).toEqual(['River one'])
    expect(collections).toHaveBeenCalledTimes(4)
  })

  it('are empty for an empty index', async () => {
    expect(await texts('a')).toEqual([])
  })

  it.each(['', '  ', '…'])('are none for the text %j, which has no word', async text => {
    await engine.add([page('1', 'River one')])
    expect(await engine.suggest(text)).toEqual([])
  })

  it('are rejected for a text of over 200 characters', async () => {
    await expect(engine.suggest('x'.repeat(201))).rejects.toMatchObject({ code: 'ASOF_INVALID_QUERY' })
  })

  it('are the first ones of a larger limit, also after most of their pages were removed', async () => {
    const pages = Array.from({ length: 40 }, (_, i) => page(String(i), `River bend ${i}`))
    await engine.add(pages)
    const all = await texts('ri be', 50)
    expect(all).toHaveLength(40)
    for (const limit of [1, 2, 7]) expect(await texts('ri be', limit)).toEqual(all.slice(0, limit))
    for (const text of all.slice(0, 35)) await engine.remove(`https://pages.example/${text.split(' ')[2]}`)
    for (const limit of [1, 2, 5, 50]) expect(await texts('ri be', limit)).toEqual(all.slice(35, 35 + limit))
  })

  it.each([0, 51, 1.5])('are rejected for a limit of %d', async limit => {
    await expect(engine.suggest('a', { maxResults: limit })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      details: { field: 'maxResults' },
    })
  })

  it('yield to the event loop while they are collected', async () => {
    await engine.add(Array.from({ length: 1000 }, (_, i) => page(String(i), `Harbor number ${i}`)))
    let turns = 0
    let isGathered = false
    const turn = () => {
      turns++
      if (!isGathered) setImmediate(turn)
    }
    setImmediate(turn)
    expect((await texts('harbor', 1)).length).toBe(1)
    isGathered = true
    // A thousand pages are read in forty parts.
    expect(turns).toBeGreaterThanOrEqual(40)
  })

  it('come from the newest pages, for any layout of segments', async () => {
    for (let batch = 0; batch < 4; batch++)
      await engine.add(
        Array.from({ length: 20 }, (_, i) => ({
          ...page(`${batch}-${i}`, `Quay ${batch} ${i}`),
          acquiredAt: 1_700_000_000_000 + i * 10 + batch,
        })),
      )
    // Of equally good ones the newest go first.
    expect(await texts('quay', 5)).toEqual(['Quay 3 19', 'Quay 2 19', 'Quay 1 19', 'Quay 0 19', 'Quay 3 18'])
  })
})
