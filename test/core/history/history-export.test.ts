import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, isAsofError, type ObservationInput, open } from '../../../core/index.ts'

let engine: Engine
let clock = 10_000
beforeEach(async () => {
  engine = await open(':memory:', { now: () => clock })
})
afterEach(async () => {
  await engine.close()
})

const all = async (maxResults: number): Promise<ObservationInput[]> => {
  const observations: ObservationInput[] = []
  let after: string | undefined
  do {
    const slice = await engine.export({ maxResults, cursor: after })
    expect(slice.observations.length).toBeLessThanOrEqual(maxResults)
    observations.push(...slice.observations)
    after = slice.next
  } while (after !== undefined)
  return observations
}
const at = (url: string, acquiredAt: number, words: string) => ({ url, acquiredAt, title: url, markdown: words })

describe('the history of an index', () => {
  it('exports each observation once, URL by URL and oldest first, whatever the size of its slices', async () => {
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
    await engine.markSeen('https://a.org/')
    clock = 20_000
    await engine.add([
      { ...at('https://a.org/', 15_000, 'one'), aliases: ['https://a.org/old', 'https://a.org/older'] },
    ])
    await engine.remove('https://a.org/')
    await engine.add([{ url: 'https://a.org/', aliases: ['https://a.org/last'], aliasedAt: 12_000 }])
    await engine.purge('https://b.org/')
    expect(await all(10)).toEqual([
      { observed: 'capture', url: 'https://a.org/', title: 'https://a.org/', markdown: 'one', acquiredAt: 1000 },
      { observed: 'sighting', url: 'https://a.org/', seenAt: 10_000 },
      { observed: 'alias', url: 'https://a.org/', aliases: ['https://a.org/last'], aliasedAt: 12_000 },
      {
        observed: 'sighting',
        url: 'https://a.org/',
        seenAt: 15_000,
        unchangedSince: 1000,
        aliases: ['https://a.org/old', 'https://a.org/older'],
      },
      { observed: 'removal', url: 'https://a.org/', removedAt: 20_000 },
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
    const copy = await open(':memory:', { now: () => clock })
    await copy.add(observations)
    expect((await copy.export()).observations).toEqual(observations)
    expect((await copy.page('https://a.org/329'))?.url).toBe('https://a.org/')
    await copy.close()
  })
  it('contains claims of aliases to pages that never came, because they end claims to others', async () => {
    await engine.add([{ ...at('https://b.org/', 1000, 'one'), aliases: ['https://x.org/'] }])
    await engine.add([{ url: 'https://a.org/', aliases: ['https://x.org/'], aliasedAt: 2000 }])
    await engine.add([{ url: 'https://c.org/', aliases: ['https://y.org/', 'https://z.org/'], aliasedAt: 500 }])
    const observations = await all(1)
    expect(observations).toMatchObject([
      { url: 'https://a.org/', aliases: ['https://x.org/'], aliasedAt: 2000 },
      { url: 'https://b.org/', aliases: ['https://x.org/'], acquiredAt: 1000 },
      { url: 'https://c.org/', aliases: ['https://y.org/', 'https://z.org/'], aliasedAt: 500 },
    ])
    const copy = await open(':memory:', { now: () => clock })
    await copy.add(observations)
    await copy.add([at('https://c.org/', 3000, 'late')])
    expect((await copy.page('https://x.org/', { queryTime: 1999 }))?.url).toBe('https://b.org/')
    expect(await copy.page('https://x.org/')).toBeUndefined()
    expect((await copy.page('https://z.org/'))?.url).toBe('https://c.org/')
    await copy.close()
  })
  it('repeats and skips nothing when claims arrive between two slices', async () => {
    const claim = (aliasedAt: number, name: string) => ({
      url: 'https://a.org/',
      aliases: [`https://a.org/${name}`],
      aliasedAt,
    })
    await engine.add([claim(2000, 'b'), claim(2000, 'd'), claim(4000, 'f'), at('https://a.org/', 3000, 'one')])
    const first = await engine.export({ maxResults: 2 })
    await engine.add([claim(1000, 'a'), claim(3000, 'e'), at('https://a.org/', 2500, 'late')])
    const second = await engine.export({ maxResults: 10, cursor: first.next as string })
    expect([...first.observations, ...second.observations]).toMatchObject([
      { aliasedAt: 2000, aliases: ['https://a.org/b', 'https://a.org/d'] },
      { acquiredAt: 3000 },
      { aliasedAt: 3000, aliases: ['https://a.org/e'] },
      { aliasedAt: 4000, aliases: ['https://a.org/f'] },
    ])
  })
  it('takes the same time for each slice of a URL with many aliases', async () => {
    const aliases = 20_000
    await engine.add([at('https://a.org/', 1, 'one')])
    await engine.add(
      Array.from({ length: aliases }, (_, i) => ({
        url: 'https://a.org/',
        aliases: [`https://a.org/r?${i}`],
        aliasedAt: 2 + (i % 9000),
      })),
    )
    const before = process.threadCpuUsage()
    expect((await all(100)).flatMap(one => ('aliases' in one ? (one.aliases ?? []) : []))).toHaveLength(aliases)
    const { user, system } = process.threadCpuUsage(before)
    // It took ten times as long when each slice read all aliases.
    expect((user + system) / 1000).toBeLessThan(8_000)
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
    expect(await engine.export()).toEqual({ observations: [] })
    for (const options of [{ maxResults: 0 }, { maxResults: 1001 }, { after: 'https://a.org/' }])
      await expect(engine.export(options)).rejects.toSatisfy(error => isAsofError(error, 'ASOF_INVALID_OPTION'))
  })
})
