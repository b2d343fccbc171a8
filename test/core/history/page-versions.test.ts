import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, isAsofError, open, type PageVersion } from '../../../core/index.ts'

async function all(engine: Engine, url: string, limit: number): Promise<PageVersion[]> {
  const versions: PageVersion[] = []
  let after: string | undefined
  do {
    const slice = await engine.history(url, { maxResults: limit, cursor: after })
    expect(slice.versions.length).toBeLessThanOrEqual(limit)
    versions.push(...slice.versions)
    after = slice.next
  } while (after !== undefined)
  return versions
}

// Those of random histories are compared in time-travel.test.ts.
describe('the versions of a page', () => {
  let engine: Engine
  let clock = 10_000
  beforeEach(async () => {
    clock = 10_000
    engine = await open(':memory:', { now: () => clock })
  })
  afterEach(() => engine.close())
  const url = 'https://a.org/'
  const at = (acquiredAt: number, markdown: string, more: object = {}) => ({
    url,
    acquiredAt,
    title: 'Prices',
    markdown,
    ...more,
  })

  it('name the parts of the page that changed', async () => {
    await engine.add([
      at(1_000, 'twenty', { author: 'Ann', data: [{ '@type': 'Offer', price: 20 }] }),
      at(2_000, 'thirty', { author: 'Ann', data: [{ price: 20, '@type': 'Offer' }] }),
      at(3_000, 'thirty', { title: 'Fares', author: 'Bob', lang: 'en', publishedAt: 2_500 }),
      at(4_000, 'forty', {
        title: 'Rates',
        siteName: 'Rail',
        kind: 'product',
        description: 'New',
        lang: 'en',
        publishedAt: 2_500,
      }),
    ])
    const { versions } = await engine.history(url)
    expect(versions.map(({ at, changed }) => [at, changed])).toEqual([
      [1_000, []],
      [2_000, ['text']],
      [3_000, ['title', 'publishedAt', 'author', 'lang', 'data']],
      [4_000, ['title', 'text', 'author', 'description', 'siteName', 'kind']],
    ])
    expect(versions[2]).toMatchObject({ publishedAt: 2_500, supersededAt: 4_000, lastSeenAt: 3_000 })
    expect(versions[3]?.supersededAt).toBeUndefined()
  })

  it('compare a page that came back with its version before the removal', async () => {
    await engine.add([at(1_000, 'twenty')])
    clock = 11_000
    await engine.markSeen(url)
    clock = 12_000
    await engine.remove(url)
    clock = 13_000
    await engine.add([{ url, title: 'Prices', markdown: 'twenty' }])
    clock = 20_000
    expect((await engine.history(url)).versions).toEqual([
      { kind: 'capture', at: 1_000, lastSeenAt: 11_000, supersededAt: 12_000, title: 'Prices', changed: [] },
      { kind: 'removal', at: 12_000, lastSeenAt: 12_000, supersededAt: 13_000, title: 'Prices', changed: [] },
      { kind: 'capture', at: 13_000, lastSeenAt: 13_000, title: 'Prices', changed: [] },
    ])
  })

  it('leave out content superseded in the same millisecond, and purged pages', async () => {
    await engine.add([at(1_000, 'lost'), at(1_000, 'won'), at(2_000, 'next')])
    expect((await engine.history(url)).versions.map(({ at }) => at)).toEqual([1_000, 2_000])
    await engine.purge(url)
    expect(await engine.history(url)).toEqual({ url, versions: [] })
    expect(await engine.timeline(url)).toBeUndefined()
  })

  it('are found by an alias, until the alias has a page of its own', async () => {
    await engine.add([at(1_000, 'twenty', { aliases: ['https://b.org/'] })])
    expect(await engine.history('HTTPS://b.org/#top')).toMatchObject({ url, versions: [{ at: 1_000 }] })
    expect(await engine.timeline('https://b.org/')).toMatchObject({ url })
    await engine.add([{ url: 'https://b.org/', markdown: 'other', acquiredAt: 3_000 }])
    expect(await engine.history('https://b.org/')).toMatchObject({ url: 'https://b.org/', versions: [{ at: 3_000 }] })
    expect(await engine.history('https://b.org/', { queryTime: 2_000 })).toMatchObject({ url })
  })

  it('reject an invalid limit, cursor or time, naming the option', async () => {
    await engine.add([at(1_000, 'twenty')])
    for (const [options, field] of [
      [{ maxResults: 0 }, 'maxResults'],
      [{ maxResults: 1_001 }, 'maxResults'],
      [{ maxResults: 1.5 }, 'maxResults'],
      [{ cursor: 'x' }, 'cursor'],
      [{ cursor: '1000 https://other.org/' }, 'cursor'],
      [{ queryTime: 'yesterday' }, 'queryTime'],
      [{ queryTime: 1e12 }, 'queryTime'],
    ] as const)
      await expect(engine.history(url, options)).rejects.toSatisfy(
        error => isAsofError(error) && error.details?.field === field,
      )
    await expect(engine.history('nowhere')).rejects.toSatisfy(error => isAsofError(error, 'ASOF_INVALID_URL'))
  })

  it('come in shorter slices if pages are large', async () => {
    const large = (letter: string) => `${letter} `.repeat(1_200_000)
    await engine.add([at(1_000, large('a')), at(2_000, large('b')), at(3_000, large('c')), at(4_000, large('d'))])
    const { versions, next } = await engine.history(url)
    expect(versions).toHaveLength(2)
    expect(next).toBe('2000 https://a.org/')
    expect((await all(engine, url, 100)).map(({ at }) => at)).toEqual([1_000, 2_000, 3_000, 4_000])
  })

  it('leave supersededAt out of a page as of now', async () => {
    await engine.add([at(1_000, 'twenty'), at(2_000, 'thirty')])
    expect(await engine.page(url, { supersededAt: true })).not.toHaveProperty('supersededAt')
    expect(await engine.page(url, { queryTime: 1_500 })).not.toHaveProperty('supersededAt')
    expect(await engine.page(url, { queryTime: 1_500, supersededAt: true })).toHaveProperty('supersededAt', 2_000)
  })
})
