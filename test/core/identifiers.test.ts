import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CaptureInput, type Engine, open, repair } from '../../core/index.ts'

const START = Date.UTC(2025, 0, 1)
const DAY_MS = 86_400_000
let now = START
let engine: Engine

const openNew = () => open(':memory:', { now: () => now })

const filler = Array.from({ length: 20 }, (_, i) => ({
  url: `https://pages.example/${i}`,
  title: `Common ${i}`,
  text: 'Common words are everywhere: apple, pencil, sku and number.',
}))

const pages: CaptureInput[] = [
  {
    url: 'https://fruit.example/',
    title: 'A maker of computers',
    text: 'We make computers and phones.',
    data: [{ '@type': 'Corporation', name: 'Fruit', tickerSymbol: 'XNAS AAPL' }],
  },
  {
    url: 'https://shop.example/lamp',
    title: 'Storm lamp',
    text: 'A lamp for outdoors.',
    data: [{ '@type': 'Product', name: 'Lamp', sku: 'SKU-12345', mpn: 'KNORRZ', offers: { sku: 'ABCDEFGH1' } }],
  },
  {
    url: 'https://shop.example/pencils',
    title: 'Pencils',
    text: 'Twelve of them in a box.',
    data: [{ '@type': 'Product', gtin13: 4006381333931 }],
  },
  {
    url: 'https://books.example/one',
    title: 'A novel',
    text: 'It was a dark night.',
    data: [{ '@type': 'Book', isbn: '9783161484100' }],
  },
]

beforeAll(async () => {
  engine = await openNew()
  await engine.add(filler)
  now = START + DAY_MS
  await engine.add(pages)
  now = START + 2 * DAY_MS
})
afterAll(async () => {
  await engine.close()
})

const first = async (query: string, options = {}, of = engine) => {
  const { results, warning } = await of.search(query, { ...options, snippetMaxLength: 0 })
  return { url: results[0]?.url, warning }
}

describe('an identifier in the data of a page', () => {
  it.each(['pro', 'realtime', 'webql'] as const)(
    'finds the page even if its text does not contain it, in %s',
    async mode => {
      for (const [query, url] of [
        ['AAPL', 'https://fruit.example/'],
        ['aapl', 'https://fruit.example/'],
        ['SKU-12345', 'https://shop.example/lamp'],
        ['"SKU-12345"', 'https://shop.example/lamp'],
        ['4006381333931', 'https://shop.example/pencils'],
        ['9783161484100', 'https://books.example/one'],
        ['"978-3-16-148410-0"', 'https://books.example/one'],
        ['978-3-16-148410-0', 'https://books.example/one'],
        ['3-16-148410-X', 'https://books.example/one'],
      ] as const)
        expect(await first(query, { mode }), query).toEqual({ url, warning: undefined })
    },
  )

  it('finds the page as of its acquisition, and not before', async () => {
    for (const query of ['AAPL', '4006381333931', 'SKU-12345']) {
      const { results } = await engine.search(query, { queryTime: START + DAY_MS - 1 })
      expect(results.every(({ url }) => url.startsWith('https://pages.example/'))).toBe(true)
    }
  })

  it('is neither corrected nor split', async () => {
    const other = await openNew()
    await other.add([
      ...filler,
      { url: 'https://pages.example/knorr', text: 'KNORRY and aaply and abcdefgh and abce are words of this page.' },
      ...pages,
    ])
    for (const query of ['KNORRZ', 'AAPL']) {
      const { url, warning } = await first(query, {}, other)
      expect(warning).toBeUndefined()
      expect(url).not.toBe('https://pages.example/knorr')
    }
    // Written with separators that the data of the page does not contain.
    expect(await first('ABCD-EFGH1', {}, other)).toEqual({ url: 'https://shop.example/lamp', warning: undefined })
    await other.close()
  })

  it('keeps all digits of a number in JSON-LD', async () => {
    const skus = ['4223372036854775805', '4223372036854775806']
    const shop = await openNew()
    await shop.add(filler)
    for (const sku of skus)
      await shop.add([
        {
          url: `https://shop.example/${sku.at(-1)}`,
          html: `<title>Lamp</title><script type="application/ld+json">{"@type":"Product","sku":${sku}}</script><p>Brass ${sku.at(-1)}.`,
        },
      ])
    for (const sku of skus) {
      const { results } = await shop.search(sku)
      expect(results.map(({ url }) => url)).toEqual([`https://shop.example/${sku.at(-1)}`])
      const page = await shop.page(results[0]!.url)
      expect(page?.data).toEqual([{ '@type': 'Product', sku }])
    }
    await shop.close()
  })

  it('can be excluded', async () => {
    const urls = async (query: string) => (await engine.search(query)).results.map(({ url }) => url)
    expect(await urls('lamp outdoors')).toContain('https://shop.example/lamp')
    expect(await urls('lamp outdoors -SKU-12345')).not.toContain('https://shop.example/lamp')
    expect(await urls('lamp outdoors -"ABCD-EFGH1"')).not.toContain('https://shop.example/lamp')
  })

  it('counts once however often the data contains it, and not in the length of the page', async () => {
    const lamp = (data: CaptureInput['data'], number: number): CaptureInput => ({
      url: `https://shop.example/${number}`,
      title: 'Lamp',
      text: 'A lamp for outdoors.',
      data,
    })
    const many = Array.from({ length: 60 }, (_, i) => ({ '@type': 'Product', sku: `lamp-${1000 + i}`, mpn: 'torch' }))
    const of = await openNew()
    await of.add([lamp(undefined, 1), lamp(many, 2), ...filler])
    const { results, explain } = await of.search('lamp torch', { mode: 'realtime', explain: true })
    const parts = new Map(results.map(({ url }, r) => [url, explain?.scores[r]]))
    const [plain, marked] = [parts.get('https://shop.example/1'), parts.get('https://shop.example/2')]
    expect(marked?.[0]).toEqual(plain?.[0])
    expect(marked?.[1]).toMatchObject({ term: 'torch', frequency: 1 })
    await of.close()
  })

  it('is part of the content of a page: a changed one makes a new capture, another order does not', async () => {
    const of = await openNew()
    const page = (data: NonNullable<CaptureInput['data']>) => [
      { url: 'https://shop.example/one', text: 'The same text.', data },
    ]
    const [a, b] = [{ sku: 'AAA-1111' }, { sku: 'BBB-2222' }]
    expect(await of.add(page([a, b]))).toMatchObject({ added: 1, unchanged: 0 })
    now += 1000
    expect(await of.add(page([b, a]))).toMatchObject({ added: 0 })
    now += 1000
    const until = now
    now += 1000
    expect(await of.add(page([b]))).toMatchObject({ added: 1, unchanged: 0 })
    now += 1000
    expect((await of.search('AAA-1111')).results).toEqual([])
    expect((await of.search('AAA-1111', { queryTime: until })).results).toHaveLength(1)
    expect((await of.search('BBB-2222')).results).toHaveLength(1)
    await of.close()
  })

  it('survives a repair', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'asof-identifiers-'))
    try {
      const folder = path.join(root, 'repaired')
      await engine.backup(folder)
      await repair(folder)
      const again = await open(folder, { now: () => now, searchThreads: 0 })
      expect(await first('AAPL', {}, again)).toEqual({ url: 'https://fruit.example/', warning: undefined })
      expect(await first('3-16-148410-X', {}, again)).toEqual({ url: 'https://books.example/one', warning: undefined })
      expect(await again.add(pages)).toMatchObject({ added: 0, unchanged: pages.length })
      await again.close()
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  })

  it('is found in the data of an HTML page in any markup', async () => {
    const of = await openNew()
    const ld = '<script type="application/ld+json">{"@type":"Product","name":"Kettle","gtin":"4006381333931"}</script>'
    const micro = '<div itemscope itemtype="https://schema.org/Product"><meta itemprop="mpn" content="MP-7788"></div>'
    await of.add([
      { url: 'https://shop.example/kettle', html: `<title>Kettle</title>${ld}<h1>Kettle</h1><p>It boils water.` },
      { url: 'https://shop.example/pot', html: `<title>Pot</title><h1>Pot</h1><p>It holds water.${micro}` },
    ])
    expect(await first('4006381333931', {}, of)).toMatchObject({ url: 'https://shop.example/kettle' })
    expect(await first('mp7788 MP-7788', {}, of)).toMatchObject({ url: 'https://shop.example/pot' })
    await of.close()
  })

  it('does not let later captures change an answer', async () => {
    const identifiers = ['AB-1001', 'AB1001', '4006381333931', 'KNORRZ', 'lamp-9999', '10-2000']
    const capture = fc.record({
      page: fc.nat({ max: 3 }),
      text: fc.constantFrom('A lamp.', 'A lamp number 1001.', 'AB things', 'knorry soup'),
      data: fc.array(fc.record({ sku: fc.constantFrom(...identifiers) }), { maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(capture, { minLength: 2, maxLength: 8 }), fc.nat(), async (history, cut) => {
        const at = (i: number) => START - (100 - i) * DAY_MS
        const inputs = history.map(({ page, text, data }, i) => {
          return { url: `https://shop.example/${page}`, text, data, acquiredAt: at(i) }
        })
        const upTo = cut % history.length
        const [all, part] = [await openNew(), await openNew()]
        await all.add(inputs)
        await part.add(inputs.slice(0, upTo + 1))
        for (const query of [...identifiers, 'lamp 1001', 'ab 1001', '"AB-1001"', 'knorr', 'lamp -AB-1001'])
          for (const mode of ['pro', 'realtime'] as const) {
            const options = { mode, queryTime: at(upTo), explain: true }
            const answers = [await all.search(query, options), await part.search(query, options)]
            const [full, cutOff] = answers.map(({ results, warning, explain }) => ({
              results,
              warning,
              scores: explain?.scores,
            }))
            expect(full).toEqual(cutOff)
          }
        await all.close()
        await part.close()
      }),
      { numRuns: 12 },
    )
  })
})
