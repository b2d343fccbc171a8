import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, isAsofError, type ObservationInput, open } from '../../../core/index.ts'

let dir: string
let engine: Engine
let clock = 10_000
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-history-'))
  engine = await open(dir, { now: () => clock })
})
afterEach(async () => {
  await engine.close()
  await rm(dir, { recursive: true })
})

const all = async (limit: number): Promise<ObservationInput[]> => {
  const observations: ObservationInput[] = []
  let after: string | undefined
  do {
    const part = await engine.history({ limit, ...(after === undefined ? {} : { after }) })
    expect(part.observations.length).toBeLessThanOrEqual(limit)
    observations.push(...part.observations)
    after = part.next
  } while (after !== undefined)
  return observations
}
const at = (url: string, acquiredAt: number, words: string) => ({ url, acquiredAt, title: url, markdown: words })

describe('the history of an index', () => {
  it('exports each observation once, URL by URL and oldest first, whatever the size of its parts', async () => {
    await engine.add([
      at('https://b.org/', 3000, 'three'),
      at('https://a.org/', 2000, 'two'),
      at('https://a.org/', 1000, 'one'),
      at('https://a.org/', 3000, 'one'),
      at('https://c.org/', 500, 'zero'),
    ])
    const expected = [
      ['https://a.org/', 1000, 'one'],
      ['https://a.org/', 2000, 'two'],
      ['https://a.org/', 3000, 'one'],
      ['https://b.org/', 3000, 'three'],
      ['https://c.org/', 500, 'zero'],
    ]
    for (const limit of [1, 2, 3, 5, 100])
      expect(await all(limit)).toMatchObject(
        expected.map(([url, acquiredAt, markdown]) => ({ url, acquiredAt, markdown })),
      )
  })
  it('contains removals, sightings and aliases with their instants, and nothing purged', async () => {
    await engine.add([at('https://a.org/', 1000, 'one'), at('https://b.org/', 1000, 'other')])
    await engine.seen('https://a.org/')
    clock = 20_000
    await engine.add([
      { ...at('https://a.org/', 15_000, 'one'), aliases: ['https://a.org/old', 'https://a.org/older'] },
    ])
    await engine.remove('https://a.org/')
    await engine.add([{ url: 'https://a.org/', aliases: ['https://a.org/last'], aliasedAt: 12_000 }])
    await engine.purge('https://b.org/')
    expect(await all(10)).toEqual([
      { url: 'https://a.org/', title: 'https://a.org/', markdown: 'one', acquiredAt: 1000 },
      { url: 'https://a.org/', seenAt: 10_000 },
      { url: 'https://a.org/', aliases: ['https://a.org/last'], aliasedAt: 12_000 },
      {
        url: 'https://a.org/',
        seenAt: 15_000,
        unchangedSince: 1000,
        aliases: ['https://a.org/old', 'https://a.org/older'],
      },
      { url: 'https://a.org/', removedAt: 20_000 },
    ])
    for (const limit of [1, 2, 3]) expect(await all(limit)).toEqual(await all(10))
  })
  it('contains any number of aliases of one instant', async () => {
    const aliases = Array.from({ length: 230 }, (_, i) => `https://a.org/${i + 100}`)
    for (let from = 0; from < aliases.length; from += 100)
      await engine.add([{ ...at('https://a.org/', 1000, 'one'), aliases: aliases.slice(from, from + 100) }])
    const observations = await all(2)
    expect(observations.map(observation => ('aliases' in observation ? observation.aliases?.length : 0))).toEqual([
      100, 100, 30,
    ])
    const copy = await open(join(dir, 'copy'), { now: () => clock })
    await copy.add(observations)
    expect((await copy.history()).observations).toEqual(observations)
    expect((await copy.page('https://a.org/329'))?.url).toBe('https://a.org/')
    await copy.close()
  })
  it('purges aliases of a page that never came', async () => {
    await engine.add([{ url: 'https://a.org/', aliases: ['https://a.org/secret'], aliasedAt: 500 }])
    expect(await engine.purge('https://a.org/')).toBe(0)
    await engine.add([at('https://a.org/', 1000, 'one')])
    expect(await engine.page('https://a.org/secret')).toBeUndefined()
  })
  it('leaves out content superseded in the same millisecond', async () => {
    await engine.add([at('https://a.org/', 1000, 'lost'), at('https://a.org/', 1000, 'won')])
    expect(await all(10)).toMatchObject([{ markdown: 'won' }])
    expect((await engine.stats()).captures).toBe(1)
  })
  it('is empty without captures, and rejects invalid limits and cursors', async () => {
    expect(await engine.history()).toEqual({ observations: [] })
    for (const options of [{ limit: 0 }, { limit: 1001 }, { after: 'https://a.org/' }])
      await expect(engine.history(options)).rejects.toSatisfy(error => isAsofError(error, 'ASOF_INVALID_OPTION'))
  })
})
