import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../core/index.ts'

const START = Date.UTC(2026, 4, 10, 14, 23)
const PAGE = 'https://a.example/'

let engine: Engine
let clock: number

beforeEach(async () => {
  clock = START
  engine = await open(':memory:', { now: () => clock })
  await engine.add([{ url: PAGE, text: 'the price is twenty' }])
  clock += 3_600_000
})

afterEach(async () => {
  await engine.close()
})

describe('a caller whose clock is fast', () => {
  it.each([
    ['epoch milliseconds', (at: number) => at],
    ['a Date', (at: number) => new Date(at)],
    ['a timestamp', (at: number) => new Date(at).toISOString()],
    ['a timestamp without seconds', (at: number) => `${new Date(at).toISOString().slice(0, 16)}Z`],
    ['a Unix epoch in seconds', (at: number) => String(at / 1000)],
    ['a Unix epoch in milliseconds', (at: number) => String(at)],
  ])('gets the answer as of now for a query time up to 60 s ahead, written as %s', async (_, written) => {
    const queryTime = written(clock + 60_000)
    const { results, receipt } = await engine.search('price', { queryTime })
    expect(results.map(({ url }) => url)).toEqual([PAGE])
    expect(receipt.instant).toBe(clock)
    await engine.check('price', { queryTime })
    expect(await engine.page(PAGE, { queryTime })).toMatchObject({ acquiredAt: START })
  })

  it('gets an answer that later captures do not change', async () => {
    const queryTime = clock + 30_000
    const first = await engine.search('price', { queryTime })
    // The first capture comes in the same millisecond, the second one before the requested query time.
    await engine.add([{ url: PAGE, text: 'the price is thirty' }])
    clock += 10_000
    await engine.add([{ url: 'https://b.example/', text: 'another price' }])
    clock += 3_600_000
    expect(await engine.search('price', { queryTime: first.receipt.instant })).toEqual(first)
    expect((await engine.search('price', { queryTime })).results).toHaveLength(2)
  })

  it("gets an error with the engine's current time for a query time further ahead", async () => {
    const refusal = { code: 'ASOF_INVALID_TIME', details: { field: 'queryTime' } }
    const queryTime = clock + 60_001
    const said = expect.stringContaining(`the clock here says ${new Date(clock).toISOString()}`)
    for (const asked of [
      () => engine.search('price', { queryTime }),
      () => engine.check('price', { queryTime }),
      () => engine.page(PAGE, { queryTime }),
    ])
      await expect(asked()).rejects.toMatchObject({ ...refusal, message: said })
  })
})

describe('the declared time of a capture', () => {
  it.each([
    ['2025-05-10T10:00Z', '2025-05-10T10:00:00.000Z', 'minute'],
    ['2025-05-10T10:00', '2025-05-10T10:00:00.000Z', 'minute'],
    ['2025-05-10T10:00+02:00', '2025-05-10T08:00:00.000Z', 'minute'],
    ['2025-05-10T10:00:30+0200', '2025-05-10T08:00:30.000Z', 'second'],
    ['2025-05-10T10:00+02', '2025-05-10T08:00:00.000Z', 'minute'],
    ['2025-05-10', '2025-05-10T00:00:00.000Z', 'day'],
  ])('may be written %s', async (written, instant, precision) => {
    const url = 'https://written.example/'
    const report = await engine.add([{ url, text: 'a date', acquiredAt: written, publishedAt: written }])
    expect(report).toMatchObject({ added: 1, failures: [] })
    const at = Date.parse(instant)
    expect(await engine.page(url)).toMatchObject({
      acquiredAt: at,
      publishedAt: at,
      publishedFrom: { source: 'declared', precision },
    })
    expect(await engine.page(url, { queryTime: written })).toMatchObject({ acquiredAt: at })
  })
})
