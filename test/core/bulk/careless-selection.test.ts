import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CaptureInput, type Engine, type FieldFilter, open, type PageSelection } from '../../../core/index.ts'

let engine: Engine
beforeEach(async () => {
  engine = await open(':memory:')
})
afterEach(async () => {
  await engine.close()
})

const page = (url: string, fields: CaptureInput['fields'], acquiredAt = '2025-01-01'): CaptureInput => ({
  url,
  text: `lamp ${url} ${acquiredAt}`,
  acquiredAt,
  fields,
})
const pages = [
  page('https://a.example.com/1', { lang: 'en', 'made-by': 'ann', price: 10 }),
  page('https://a.example.com/2', { lang: 'de' }),
  page('https://b.example.co.uk/', { lang: 'en' }),
  page('https://ann.github.io/', { lang: 'fr' }),
  page('http://localhost:3000/', { lang: 'en' }),
  page('https://127.0.0.1/', {}),
  page('file:///home/ann/notes.md', { lang: 'en' }),
]

async function expectRefused(selection: unknown, details: object, at?: string): Promise<void> {
  const error = { code: 'ASOF_INVALID_OPTION', details }
  for (const op of ['removeAll', 'purgeAll'] as const)
    for (const dryRun of [true, false])
      await expect(engine[op](selection as PageSelection, { dryRun, at })).rejects.toMatchObject(error)
  expect((await engine.search('', { maxResults: 100 })).results).toHaveLength(pages.length)
}

describe('a deletion', () => {
  it.each<[FieldFilter, string, string | undefined]>([
    [{ not: { lnag: 'en' } }, 'filter.not.lnag', 'lang'],
    [{ lnag: { exists: false } }, 'filter.lnag', 'lang'],
    [{ lnag: 'en' }, 'filter.lnag', 'lang'],
    [{ any: [{ lang: 'de' }, { Lang: 'en' }] }, 'filter.any[1].Lang', 'lang'],
    [{ all: [{ not: { any: [{ lang: 'de' }, { made_by: 'ann' }] } }] }, 'filter.all[0].not.any[1].made_by', 'made-by'],
    [{ lang: 'en', prize: { lt: 20 } }, 'filter.prize', 'price'],
    [{ not: { mad: { prefix: 'a' } } }, 'filter.not.mad', 'made-by'],
    [{ not: { warehouse: 'north' } }, 'filter.not.warehouse', undefined],
  ])('by the field of %j, which no page has, is refused with the nearest name', async (filter, field, nearest) => {
    await engine.add(pages)
    await expectRefused({ filter }, nearest === undefined ? { field } : { field, nearest })
    await expectRefused({ site: 'example.com', filter }, { field })
  })

  it('by a field of an index without fields is refused', async () => {
    await engine.add(pages.map(({ fields: _, ...others }) => others))
    await expectRefused({ filter: { not: { lang: 'en' } } }, { field: 'filter.not.lang' })
  })

  it('as of an instant knows only the fields of pages up to then', async () => {
    await engine.add([...pages, page('https://a.example.com/2', { lang: 'de', sold: true }, '2025-03-01')])
    const filter = { not: { sold: true } }
    await expectRefused({ filter }, { field: 'filter.not.sold' }, '2025-02-01')
    expect(await engine.removeAll({ filter }, { dryRun: true })).toMatchObject({ pages: pages.length - 1 })
  })

  it.each<[unknown, string]>([
    [{ lang: { prefix: '' } }, 'filter.lang.prefix'],
    [{ not: { lang: { prefix: '' } } }, 'filter.not.lang.prefix'],
    [{ lang: { gte: '' } }, 'filter.lang.gte'],
    [{ lang: { gt: '', lt: 'x' } }, 'filter.lang.gt'],
    [{ not: { lang: { lt: '' } } }, 'filter.not.lang.lt'],
    [{ lang: 'en', any: [{ lang: 'en' }, { lang: { prefix: '' } }] }, 'filter.any[1].lang.prefix'],
    [{ lang: 'en', price: undefined }, 'filter.price'],
    [{ lang: 'en', price: { lt: 20, gt: undefined } }, 'filter.price.gt'],
    [{ not: { lang: 'en', price: undefined } }, 'filter.not.price'],
    [{ lang: 'en', not: undefined }, 'filter.not'],
  ])('by %j, where a condition restricts nothing, is refused', async (filter, field) => {
    await engine.add(pages)
    await expectRefused({ filter }, { field })
  })

  it.each<FieldFilter>([
    { not: { lang: 'em' } },
    { not: { all: [{ lang: 'en' }, { lang: 'de' }] } },
    { any: [{ lang: { exists: true } }, { lang: { exists: false } }] },
    { not: { price: { gt: 1000 } } },
    { not: { 'made-by': { prefix: 'Ann' } } },
  ])('by %j, which leaves no page, is refused', async filter => {
    await engine.add(pages)
    await expectRefused({ filter }, { field: 'filter' })
  })

  it.each<[FieldFilter, string]>([
    [{ price: { gte: 1 }, not: { lang: 'eng' } }, 'filter.not.lang'],
    [{ all: [{ price: { gte: 1 } }, { not: { lang: 'eng' } }] }, 'filter.all[1].not.lang'],
    [{ lang: 'en', not: { any: [{ lang: 'dee' }, { price: { gt: 1000 } }] } }, 'filter.not.any[0].lang'],
    [{ any: [{ lang: 'fr' }, { lang: 'en', not: { 'made-by': 'Ann' } }] }, 'filter.any[1].not.made-by'],
  ])('by %j, whose "not" names a value that no page has, is refused', async (filter, field) => {
    await engine.add(pages)
    await expectRefused({ filter }, { field })
  })

  it('by a filter whose "not" keeps pages of another site is not refused', async () => {
    await engine.add(pages)
    const filter = { lang: ['en', 'de'], not: { lang: 'fr' }, price: { exists: false } }
    expect(await engine.purgeAll({ site: 'example.com', filter })).toMatchObject({ pages: 1 })
  })

  it('by a filter with "not" leaves a page of its site', async () => {
    await engine.add(pages)
    await expectRefused({ site: 'example.com', filter: { not: { lang: 'fr' } } }, { field: 'filter' })
    await expectRefused({ prefix: 'https://a.example.com/', filter: { not: { lang: 'fr' } } }, { field: 'filter' })
    const selection = { site: 'example.com', filter: { not: { lang: 'en' } } }
    expect(await engine.purgeAll(selection)).toMatchObject({ pages: 1 })
    // The same call again finds nothing to delete, which is no mistake.
    expect(await engine.purgeAll(selection)).toMatchObject({ pages: 0, finished: true })
    expect(await engine.purgeAll({ filter: { not: { lang: 'en' } } })).toMatchObject({ pages: 2 })
  })

  it.each(['com', 'COM', 'com.', 'co.uk', 'github.io', 'рф', 'xn--p1ai', 'example', 'intranet', 'foo.ck'])(
    'of the site %s, a public suffix, is refused',
    async site => {
      await engine.add(pages)
      await expectRefused({ site }, { field: 'site' })
      await expectRefused({ site, filter: { lang: 'en' } }, { field: 'site' })
    },
  )

  it.each([
    ['example.com', 2],
    ['example.co.uk', 1],
    ['ann.github.io', 1],
    ['localhost', 1],
    ['127.0.0.1', 1],
    ['www.ck', 0],
  ])('of the site %s deletes %d pages', async (site, count) => {
    await engine.add(pages)
    expect(await engine.purgeAll({ site })).toMatchObject({ pages: count })
  })

  it.each(['', 'file:///', 'file:'])('of the prefix "%s", which restricts nothing, is refused', async prefix => {
    await engine.add(pages)
    await expectRefused({ prefix }, { field: 'prefix' })
  })

  it('of everything is meant by all: true, also as of an instant', async () => {
    await engine.add([...pages, page('https://late.example.com/', {}, '2025-03-01')])
    expect(await engine.removeAll({ all: true }, { at: '2025-02-01', dryRun: true })).toMatchObject({ pages: 7 })
    const trial = await engine.purgeAll({ all: true }, { dryRun: true })
    expect(trial).toMatchObject({ pages: 8, captures: 8 })
    expect(await engine.removeAll({ all: true })).toMatchObject({ pages: 8 })
    expect((await engine.search('')).results).toEqual([])
    expect(await engine.purgeAll({ all: true })).toEqual(trial)
    expect(await engine.stats()).toMatchObject({ captures: 0, urls: 0 })
  })

  it.each(['removeAll', 'purgeAll'] as const)(
    'by a field goes on when its own rounds deleted the last page with the field: %s',
    async op => {
      const anns = Array.from({ length: 300 }, (_, i) => page(`https://a.example.com/${i}`, { user: 'ann' }))
      const others = Array.from({ length: 300 }, (_, i) => page(`https://b.example.com/${i}`, { lang: 'en' }))
      await engine.add([...anns, ...others])
      expect(await engine[op]({ filter: { any: [{ user: 'ann' }, { lang: 'en' }] } })).toMatchObject({
        pages: 600,
        finished: true,
      })
    },
  )
})
