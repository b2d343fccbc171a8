import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CaptureInput, type Engine, open, type PageSelection } from '../../../core/index.ts'

let engine: Engine
beforeEach(async () => {
  engine = await open(':memory:')
})
afterEach(async () => {
  await engine.close()
})

const [early, middle, late] = ['2025-01-01', '2025-02-01', '2025-03-01'] as const
const page = (url: string, acquiredAt: string, price?: number): CaptureInput => ({
  url: `https://${url}`,
  text: `lamp ${url} ${acquiredAt}`,
  acquiredAt,
  fields: price === undefined ? {} : { price },
})
const shop = [
  page('shop.example/a', early, 10),
  page('shop.example/a', late, 30),
  page('shop.example/b', early, 30),
  page('www.shop.example/c', early, 10),
  page('shop.example.org/d', early, 10),
  page('shop.example/old/e', early),
]
const urlsAt = async (of: Engine, queryTime?: string) => {
  const { results } = await of.search('lamp', { maxResults: 100, queryTime })
  return results.map(({ url }) => url.slice('https://'.length)).sort()
}

describe('removeAll', () => {
  it.each<[PageSelection, string | undefined, string[]]>([
    [{ site: 'shop.example' }, undefined, ['shop.example.org/d']],
    [{ prefix: 'https://shop.example/' }, undefined, ['shop.example.org/d', 'www.shop.example/c']],
    [
      { prefix: 'https://shop.example/old' },
      undefined,
      shop
        .slice(1, 5)
        .map(({ url }) => url.slice(8))
        .sort(),
    ],
    [{ filter: { price: { gt: 20 } } }, undefined, ['shop.example.org/d', 'shop.example/old/e', 'www.shop.example/c']],
    [
      { site: 'shop.example', filter: { price: 10 } },
      undefined,
      ['shop.example.org/d', 'shop.example/a', 'shop.example/b', 'shop.example/old/e'],
    ],
    [
      { urls: ['https://shop.example/b', 'https://nowhere.example/'] },
      undefined,
      ['shop.example.org/d', 'shop.example/a', 'shop.example/old/e', 'www.shop.example/c'],
    ],
  ])('%j leaves the other pages, and the past as it was', async (selection, at, left) => {
    await engine.add(shop)
    const [before, all] = [await urlsAt(engine, middle), await urlsAt(engine)]
    const trial = await engine.removeAll(selection, { at, dryRun: true })
    expect(await urlsAt(engine)).toEqual(all)
    const report = await engine.removeAll(selection, { at })
    expect(await urlsAt(engine)).toEqual([...left].sort())
    expect(report).toEqual({ pages: all.length - left.length, captures: 0, failed: 0, failures: [], finished: true })
    expect(trial).toEqual(report)
    expect(await urlsAt(engine, middle)).toEqual(before)
    expect(await engine.removeAll(selection, { at })).toMatchObject({ pages: 0 })
  })

  it('selects pages as they were at the instant, which the removal then has', async () => {
    await engine.add(shop)
    expect(await engine.removeAll({ filter: { price: 10 } }, { at: middle })).toMatchObject({ pages: 3 })
    expect(await urlsAt(engine, '2025-02-02')).toEqual(['shop.example/b', 'shop.example/old/e'])
    expect(await urlsAt(engine, '2025-01-31')).toHaveLength(5)
    // The capture after the removal stays.
    expect(await urlsAt(engine)).toEqual(['shop.example/a', 'shop.example/b', 'shop.example/old/e'])
  })

  it('reports the URLs of a list that are not valid, and removes the others', async () => {
    await engine.add(shop)
    async function* urls() {
      for (let i = 0; i < 300; i++) yield `nowhere ${i}`
      yield 'https://shop.example/a'
    }
    const report = await engine.removeAll({ urls: urls() })
    expect(report).toMatchObject({ pages: 1, failed: 300 })
    expect(report.failures).toHaveLength(100)
  })

  it.each<[unknown, string]>([
    [{}, 'selection'],
    [{ site: 'a b' }, 'site'],
    [{ urls: ['https://a.example/'], site: 'a.example' }, 'urls'],
    [{ urls: 7 }, 'urls'],
    [{ filter: { price: { lt: true } } }, 'filter.price.lt'],
    [{ url: 'https://a.example/' }, 'url'],
    [{ prefix: 'https://shop.example/?utm_source=' }, 'prefix'],
    [{ filter: {} }, 'filter'],
    [{ filter: { user: undefined } }, 'filter.user'],
    [{ site: 'a.example', filter: {} }, 'filter'],
    [{ filter: { all: [] } }, 'filter'],
    [{ filter: { all: [{}] } }, 'filter'],
    [{ filter: { price: 10, any: [{ price: 10 }, { user: undefined }] } }, 'filter.any[1].user'],
    [{ filter: { not: { any: [] } } }, 'filter'],
    [{ filter: { not: { user: [] } } }, 'filter'],
    [{ urls: ['https://a.example/'], all: true }, 'urls'],
    [{ all: true, site: 'a.example' }, 'all'],
    [{ all: false, site: 'a.example' }, 'all'],
    [{ all: 'yes' }, 'all'],
    [{ site: null, prefix: 'https://shop.example/' }, 'site'],
    [{ filter: { price: { gte: 1, lt: null } } }, 'filter.price.lt'],
    [{ filter: { all: [{ price: { gte: 1, lt: null } }] } }, 'filter.all[0].price.lt'],
  ])('rejects the selection %j', async (selection, field) => {
    await engine.add(shop)
    const error = { code: 'ASOF_INVALID_OPTION', details: { field } }
    await expect(engine.removeAll(selection as PageSelection)).rejects.toMatchObject(error)
    await expect(engine.purgeAll(selection as PageSelection)).rejects.toMatchObject(error)
    expect(await urlsAt(engine)).toHaveLength(5)
  })

  it('rejects an instant of the future and a prefix that begins no URL', async () => {
    const future = engine.removeAll({ site: 'a.example' }, { at: '2999-01-01' })
    await expect(future).rejects.toMatchObject({ code: 'ASOF_INVALID_TIME' })
    await expect(engine.purgeAll({ prefix: '/old' })).rejects.toMatchObject({ code: 'ASOF_INVALID_URL' })
  })
})

describe('purgeAll', () => {
  it('deletes the whole histories of all URLs of a site, removed pages included', async () => {
    await engine.add(shop)
    await engine.remove('https://shop.example/b')
    const trial = await engine.purgeAll({ site: 'shop.example' }, { dryRun: true })
    const report = await engine.purgeAll({ site: 'shop.example' })
    expect(report).toEqual({ pages: 4, captures: 5, failed: 0, failures: [], finished: true })
    expect(trial).toEqual(report)
    expect([await urlsAt(engine), await urlsAt(engine, middle)]).toEqual([
      ['shop.example.org/d'],
      ['shop.example.org/d'],
    ])
    expect(await engine.stats()).toMatchObject({ captures: 1, urls: 1 })
  })

  it('deletes the pages that fulfill a filter now, or at an instant', async () => {
    await engine.add(shop)
    expect(await engine.purgeAll({ filter: { price: 10 } }, { at: middle, dryRun: true })).toMatchObject({
      pages: 3,
      captures: 4,
    })
    expect(await engine.purgeAll({ filter: { price: 10 } })).toMatchObject({ pages: 2, captures: 2 })
    expect(await urlsAt(engine, middle)).toEqual(['shop.example/a', 'shop.example/b', 'shop.example/old/e'])
  })

  it('counts in a dry run of a list, with aliases and repetitions, what the run deletes', async () => {
    const alias = 'https://shop.example/x'
    await engine.add([{ ...page('shop.example/a', early), aliases: [alias] }, page('shop.example/a', late)])
    // More than one round.
    const blanks = Array.from({ length: 300 }, (_, i) => `https://none.example/${i}`)
    const selection = { urls: [alias, 'https://shop.example/a', alias, ...blanks, alias] }
    for (const [op, captures] of [
      ['removeAll', 0],
      ['purgeAll', 2],
    ] as const) {
      const trial = await engine[op](selection, { dryRun: true })
      expect(trial).toMatchObject({ pages: 1, captures })
      expect(await engine[op](selection)).toEqual(trial)
    }
  })

  it.each(['removeAll', 'purgeAll'] as const)(
    'follows no alias of a URL that has a page, however often a list of %s names it',
    async op => {
      await engine.add([
        { ...page('shop.example/a', early), aliases: ['https://shop.example/b'] },
        page('shop.example/b', late),
      ])
      const blanks = Array.from({ length: 300 }, (_, i) => `https://none.example/${i}`)
      const selection = { urls: ['https://shop.example/b', ...blanks, 'https://shop.example/b'] }
      const trial = await engine[op](selection, { dryRun: true })
      expect(trial).toMatchObject({ pages: 1 })
      expect(await engine[op](selection)).toEqual(trial)
      expect(await urlsAt(engine)).toEqual(['shop.example/a'])
    },
  )

  it.each<PageSelection>([{ site: 'shop.example' }, { prefix: 'https://shop.example/a' }])(
    'deletes URLs of which only aliases are known by %j, in all rounds',
    async selection => {
      const claims = (url: string) => ({ url, aliasedAt: early, aliases: ['https://short.example/1', `${url}/2`] })
      const gone = Array.from({ length: 300 }, (_, i) => `https://shop.example/a${i}`)
      const kept = 'https://shop.example.org/a'
      await engine.add([page('shop.example/a7', early), ...gone.map(claims), claims(kept)])
      const trial = await engine.purgeAll(selection, { dryRun: true })
      expect(trial).toMatchObject({ pages: 1, captures: 1 })
      expect(await engine.purgeAll(selection)).toEqual(trial)
      const { observations } = await engine.export()
      expect(observations.map(({ url }) => url)).toEqual([kept])
    },
  )

  it('counts no URLs of which only a removal was declared', async () => {
    await engine.add(shop)
    await engine.remove('https://shop.example/none', { at: middle })
    const trial = await engine.purgeAll({ site: 'shop.example' }, { dryRun: true })
    expect(trial).toMatchObject({ pages: 4, captures: 5 })
    expect(await engine.purgeAll({ site: 'shop.example' })).toEqual(trial)
  })

  it('rejects an instant for a list, which is purged from all of time', async () => {
    const purge = engine.purgeAll({ urls: ['https://shop.example/a'] }, { at: middle })
    await expect(purge).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION', details: { field: 'at' } })
  })

  it('deletes the aliases of several pages in one commit, also one that led to both', async () => {
    const alias = 'https://shop.example/x'
    await engine.add([
      { ...page('shop.example/a', early), aliases: [alias] },
      { ...page('shop.example/b', late), aliases: [alias] },
    ])
    await engine.purgeAll({ prefix: 'https://shop.example/' })
    expect(await engine.page(alias)).toBeUndefined()
    expect(await engine.page(alias, { queryTime: middle })).toBeUndefined()
    expect((await engine.export()).observations).toEqual([])
  })

  it('goes through more pages than a round has, reports progress, and stops and continues', async () => {
    const pages = Array.from({ length: 700 }, (_, i) => page(`big.example/${i}`, early))
    await engine.add([...pages, page('small.example/', early)])
    const stop = new AbortController()
    const counts: number[] = []
    const report = await engine.purgeAll(
      { site: 'big.example' },
      {
        signal: stop.signal,
        onProgress: ({ pages }) => {
          counts.push(pages)
          stop.abort()
        },
      },
    )
    expect(report).toMatchObject({ finished: false })
    expect(report.pages).toBeGreaterThan(0)
    expect(report.pages).toBeLessThan(700)
    expect(counts).toEqual([report.pages])
    expect(await engine.purgeAll({ site: 'big.example' })).toMatchObject({ pages: 700 - report.pages, finished: true })
    expect(await urlsAt(engine)).toEqual(['small.example/'])
  })

  it('equals the same calls URL by URL, for random histories and selections', async () => {
    const urls = ['a.example/x', 'a.example/y', 'b.a.example/', 'c.example/x']
    const capture = fc.record({
      url: fc.constantFrom(...urls),
      month: fc.integer({ min: 1, max: 9 }),
      price: fc.integer({ min: 1, max: 3 }),
    })
    interface Chosen {
      site?: string
      prefix?: string
      filter?: { price: number }
    }
    const selection: fc.Arbitrary<Chosen> = fc.oneof(
      fc.constantFrom<Chosen>({ site: 'a.example' }, { prefix: 'https://a.example/' }),
      fc.record({ filter: fc.record({ price: fc.integer({ min: 1, max: 3 }) }) }),
    )
    const at = fc.option(
      fc.integer({ min: 1, max: 9 }).map(month => `2024-0${month}-15`),
      { nil: undefined },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(capture, { maxLength: 12 }),
        selection,
        at,
        fc.boolean(),
        async (given, chosen, at, purges) => {
          const captures = [
            // A page that always has the field of the filters, and that none selects.
            page('other.example/', '2023-01-01', 9),
            ...given.map(({ url, month, price }) => page(url, `2024-0${month}-01`, price)),
          ]
          const [bulk, single] = await Promise.all([open(':memory:'), open(':memory:')])
          await bulk.add(captures)
          await single.add(captures)
          for (const url of urls.map(url => `https://${url}`)) {
            const then = await single.page(url, { queryTime: at })
            const ever = (await single.history(url)).versions.length > 0
            const isIn =
              chosen.site !== undefined
                ? /^https:\/\/(?:b\.)?a\.example/.test(url)
                : url.startsWith(chosen.prefix ?? '')
            const isOf = chosen.filter
              ? then?.fields?.price === chosen.filter.price
              : purges && at === undefined
                ? ever
                : !!then
            if (!isIn || !isOf) continue
            if (purges) await single.purge(url)
            else await single.remove(url, { at })
          }
          await (purges ? bulk.purgeAll(chosen, { at }) : bulk.removeAll(chosen, { at }))
          for (const queryTime of [undefined, ...Array.from({ length: 9 }, (_, i) => `2024-0${i + 1}-20`)])
            expect(await urlsAt(bulk, queryTime)).toEqual(await urlsAt(single, queryTime))
          await bulk.close()
          await single.close()
        },
      ),
      { numRuns: 6 },
    )
  })
})
