import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'
import { SnapshotSearch } from '../../../../core/scheduling/snapshot-search.ts'

const DAY = 86_400_000
const FIRST = Date.parse('2026-01-01T00:00:00Z')
let engine: Engine
let now = FIRST
beforeEach(async () => {
  now = FIRST
  engine = await open(':memory:', { now: () => now })
  const add = (url: string, fields: Record<string, number>) =>
    engine.add([{ url: `https://a.example/${url}`, text: `the page ${url}`, fields }])
  await add('1', { price: 1 })
  now += 10 * DAY
  await add('1', { price: 2, size: 2 })
  now += 10 * DAY
  await engine.remove('https://a.example/1')
  now += 10 * DAY
})
afterEach(async () => {
  vi.restoreAllMocks()
  await engine.close()
})

describe('the list of fields', () => {
  it('is made once for all instants between two changes', async () => {
    const searches = vi.spyOn(SnapshotSearch.prototype, 'answer')
    const names = async (day: number) => (await engine.fields({ queryTime: FIRST + day * DAY })).map(({ name }) => name)
    for (const day of [11, 12.5, 13, 19.9]) expect(await names(day)).toEqual(['price', 'size'])
    expect(searches).toHaveBeenCalledTimes(2)
    for (const day of [20, 25, 30]) expect(await names(day)).toEqual([])
    for (const day of [1, 2, 9.9]) expect(await names(day)).toEqual(['price'])
    expect(searches).toHaveBeenCalledTimes(5)
  })

  it('is the same for a sealed engine, and made once for calls at the same time', async () => {
    const searches = vi.spyOn(SnapshotSearch.prototype, 'answer')
    const sealed = engine.sealed(FIRST + 15 * DAY)
    const [a, b] = await Promise.all([sealed.fields(), engine.fields({ queryTime: FIRST + 12 * DAY })])
    expect(a).toEqual(b)
    expect(searches).toHaveBeenCalledTimes(2)
    a.pop()
    expect(await sealed.fields()).toEqual(b)
  })

  it('is made again after a change of what was, and for another number of examples', async () => {
    const queryTime = FIRST + 5 * DAY
    expect((await engine.fields({ queryTime }))[0]?.pages).toBe(1)
    await engine.add([
      { url: 'https://a.example/2', text: 'another', fields: { price: 1 }, acquiredAt: FIRST + 2 * DAY },
    ])
    expect(await engine.fields({ queryTime, maxExamples: 1 })).toEqual([
      { name: 'price', type: 'number', pages: 2, examples: [{ value: 1, count: 2 }] },
    ])
    expect((await engine.fields({ queryTime, maxExamples: 0 }))[0]?.examples).toEqual([])
  })
})
