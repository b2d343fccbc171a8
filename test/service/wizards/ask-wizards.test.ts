import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CaptureInput, type Engine, open } from '../../../core/index.ts'
import {
  builtInWizards,
  type CallerPolicy,
  createService,
  parseRequest,
  searchRequest,
  searchResponse,
  type Wizard,
  type WizardCapture,
} from '../../../service/index.ts'

const START_AT = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000

/** Creates a page of a shop with the price in its text and its data. */
function lampPage(price: number, url = 'https://shop.example.com/lamp'): CaptureInput {
  const offers = { '@type': 'Offer', price, priceCurrency: 'EUR', availability: 'https://schema.org/InStock' }
  const data = JSON.stringify({ '@context': 'https://schema.org', '@type': 'Product', name: 'Storm lamp', offers })
  return {
    url,
    html: `<title>Storm lamp</title><script type="application/ld+json">${data}</script><main><h1>Storm lamp</h1><p>A lamp for storms, ${price} euros.</p></main>`,
  }
}

let now = START_AT
let engine: Engine

async function openNew(): Promise<void> {
  now = START_AT
  engine = await open(':memory:', { now: () => now })
}

async function closeAndForget(): Promise<void> {
  await engine.close()
}

const refuseLive = async () => {
  throw new Error('no live fetch here')
}
const failures: [string, unknown][] = []
async function ask(
  request: Record<string, unknown>,
  wizards: readonly Wizard[] = builtInWizards,
  wizardTimeoutMs = 60_000,
) {
  failures.length = 0
  const onWizardFailure = (...told: [string, unknown]) => failures.push(told)
  const service = createService(engine, refuseLive, { wizards, wizardTimeoutMs, onWizardFailure })
  const { body } = await service.answer('search', parseRequest(searchRequest, { enable_wizards: true, ...request }))
  expect(searchResponse.parse(body)).toEqual(body)
  return body
}
const on = (day: number) => {
  now = START_AT + day * DAY_MS
}

describe('a search with wizards', () => {
  beforeEach(openNew)
  afterEach(closeAndForget)

  it('names the source of an item and its acquisition time', async () => {
    await engine.add([lampPage(20)])
    expect((await ask({ query: 'storm lamp' })).wizards).toEqual([
      {
        wizard: 'product_prices',
        url: 'https://shop.example.com/lamp',
        acquired_at: '2026-01-01T00:00:00.000Z',
        name: 'Storm lamp',
        price: 20,
        currency: 'EUR',
        availability: 'in_stock',
      },
    ])
    expect(failures).toEqual([])
  })

  it('finds the page with an exchange rate although its text has no word of the query', async () => {
    const rate = (currency: string, priceCurrency: string, price: number) => ({
      '@type': 'ExchangeRateSpecification',
      currency,
      currentExchangeRate: { price, priceCurrency },
    })
    await engine.add(
      Array.from({ length: 30 }, (_, i) => ({
        url: `https://news.example.com/${i}`,
        title: `1 EUR in USD, 20 of ${i}`,
        text: 'EUR to USD: one euro in dollars, and how the exchange rate of EUR and USD went.',
      })),
    )
    on(1)
    const data = [rate('EUR', 'USD', 1.08), rate('GBP', 'JPY', 190)]
    await engine.add([{ url: 'https://bank.example.com/', title: 'Treasury', text: 'Figures of the day.', data }])
    on(2)
    const source = { wizard: 'finance', url: 'https://bank.example.com/', acquired_at: '2026-01-02T00:00:00.000Z' }
    for (const [query, answer] of [
      ['1 EUR in USD', { rate: 1.08, amount: 1, converted_amount: 1.08 }],
      ['100 usd to eur', { rate: 1.08, amount: 100, converted_amount: 92.5925925926, inverse: true }],
      ['convert 5 GBP in JPY', { rate: 190, amount: 5, converted_amount: 950 }],
      ['EUR/USD', { rate: 1.08 }],
      ['€20 in $', { rate: 1.08, amount: 20, converted_amount: 21.6 }],
    ] as const) {
      const { wizards } = await ask({ query })
      expect(wizards, query).toHaveLength(1)
      expect(wizards, query).toMatchObject([{ ...source, ...answer }])
    }
    expect((await ask({ query: '3 chf in eur' })).wizards).toBeUndefined()
    expect((await ask({ query: 'EUR/USD', query_time: '2026-01-01T12:00:00Z' })).wizards).toBeUndefined()
    expect((await ask({ query: 'EUR/USD', site: 'news.example.com' })).wizards).toBeUndefined()
    expect((await ask({ query: 'EUR/USD', exclude_sites: ['bank.example.com'] })).wizards).toBeUndefined()
    expect((await ask({ query: 'EUR/USD', site: 'bank.example.com' })).wizards).toHaveLength(1)
    expect(failures).toEqual([])
  })

  it('searches without the intent words if they lead to other pages', async () => {
    await engine.add(
      Array.from({ length: 30 }, (_, i) => ({
        url: `https://news.example.com/${i}`,
        title: `Address ${i}`,
        text: 'An address, the phone and the address of a contact; the price of an address.',
      })),
    )
    const data = [{ '@type': 'HVACBusiness', name: 'Comfort Flow', address: '1951 Don St, Springfield' }]
    const text = `Comfort, as air does flow. ${'Many other words. '.repeat(100)}`
    await engine.add([{ url: 'https://flow.example.org/repair', title: 'Repairs', text, data }])
    expect((await ask({ query: 'comfort flow address phone contact' })).wizards).toMatchObject([
      { wizard: 'places', name: 'Comfort Flow', address: '1951 Don St, Springfield' },
    ])
    const filtered = await ask({ query: 'comfort flow address phone contact', site: 'news.example.com' })
    expect(filtered.wizards).toBeUndefined()
  })

  it('finds a home page by its domain although no page contains the name of the site', async () => {
    await engine.add([
      { url: 'https://harbourherald.com/', title: 'News', siteName: 'The Harbour Herald', text: 'All that happened.' },
      { url: 'https://harbourherald.com/one', title: 'One', text: 'A ship came in.' },
      { url: 'https://lamps.com/', title: 'Something else', text: 'All that happened.' },
      { url: 'https://other.example.com/harbourherald/', title: 'Other', text: 'A ship went out.' },
    ])
    for (const query of ['Harbour Herald', 'the harbour herald'])
      expect((await ask({ query })).wizards, query).toMatchObject([
        { wizard: 'navigation', url: 'https://harbourherald.com/', name: 'The Harbour Herald' },
      ])
    // Neither its title nor its site name contains the query.
    expect((await ask({ query: 'lamps' })).wizards).toBeUndefined()
    expect((await ask({ query: 'Harbour Herald', query_time: '2025-12-31' })).wizards).toBeUndefined()
    expect((await ask({ query: 'Harbour Herald', site: 'other.example.com' })).wizards).toBeUndefined()
    expect((await ask({ query: 'Harbour Herald', sites: ['other.example.com', 'lamps.com'] })).wizards).toBeUndefined()
    expect((await ask({ query: 'Harbour Herald', exclude_sites: ['harbourherald.com'] })).wizards).toBeUndefined()
  })

  it('has no wizards if none answers, or if they are not enabled', async () => {
    await engine.add([lampPage(20)])
    expect((await ask({ query: 'lamp oil' })).wizards).toBeUndefined()
    expect((await ask({ query: 'storm lamp', enable_wizards: false })).wizards).toBeUndefined()
    const plain = parseRequest(searchRequest, { query: 'storm lamp' })
    expect((await createService(engine, refuseLive).answer('search', plain)).body.wizards).toBeUndefined()
  })

  it('answers with the price as of each instant, and with none after the page was removed', async () => {
    on(1)
    await engine.add([lampPage(20)])
    on(5)
    await engine.add([lampPage(25)])
    on(8)
    await engine.remove('https://shop.example.com/lamp')
    on(10)
    const priceAt = async (query_time?: string) =>
      (await ask({ query: 'storm lamp', query_time })).wizards?.map(item => [item.price, item.acquired_at])
    expect(await priceAt('2026-01-01T12:00:00Z')).toBeUndefined()
    expect(await priceAt('2026-01-03')).toEqual([[20, '2026-01-02T00:00:00.000Z']])
    expect(await priceAt('2026-01-07')).toEqual([[25, '2026-01-06T00:00:00.000Z']])
    expect(await priceAt()).toBeUndefined()
    await engine.purge('https://shop.example.com/lamp')
    expect(await priceAt('2026-01-03')).toBeUndefined()
  })

  it('applies the filters of the request', async () => {
    await engine.add([lampPage(20), lampPage(30, 'https://other.example.org/lamp')])
    on(5)
    await engine.add([lampPage(40, 'https://late.example.net/lamp')])
    const pricesOf = async (filters: Record<string, unknown>) =>
      (await ask({ query: 'storm lamp', ...filters })).wizards?.map(({ price }) => price).sort()
    expect(await pricesOf({})).toEqual([20, 30, 40])
    expect(await pricesOf({ site: 'example.org' })).toEqual([30])
    expect(await pricesOf({ acquired_after: '2026-01-03' })).toEqual([40])
    expect(await pricesOf({ published_after: '2026-01-03' })).toBeUndefined()
    expect(await pricesOf({ query: 'storm lamp -"30 euros" site:example.org' })).toBeUndefined()
  })

  it('finds a home page that is not among the results only without filters', async () => {
    await engine.add([
      { url: 'https://www.lanterns.example/', html: '<title>Welcome</title><p>Light for everyone.' },
      { url: 'https://www.lanterns.example/about', html: '<title>About lanterns</title><p>Who makes our lanterns.' },
    ])
    const hostsOf = async (request: Record<string, unknown>) =>
      (await ask({ query: 'lanterns', ...request })).wizards?.map(({ url }) => url)
    expect(await hostsOf({})).toEqual(['https://www.lanterns.example/'])
    expect(await hostsOf({ acquired_after: '2025-01-01' })).toBeUndefined()
    expect(await hostsOf({ query_time: '2025-12-31' })).toBeUndefined()
  })

  it('finds the same with a smaller number of results', async () => {
    await engine.add([
      { url: 'https://a.example.com/storm-lamp', text: 'Storm lamp storm lamp storm lamp', title: 'Storm lamp' },
      lampPage(20),
    ])
    const one = await ask({ query: 'storm lamp', max_results: 1 })
    expect(one.results).toHaveLength(1)
    expect(one.wizards).toHaveLength(1)
    expect(one.results).toEqual((await ask({ query: 'storm lamp' })).results.slice(0, 1))
  })

  it('lets pages follow each other without gaps, whichever option asks for them', async () => {
    await engine.add([1, 2, 3].map(n => lampPage(n, `https://shop.example.com/${n}`)))
    const urls = ({ results }: { results: { url: string }[] }) => results.map(({ url }) => url)
    for (const option of [{ max_facet_values: 5 }, { facets: ['price'] }]) {
      const request = { query: 'storm lamp', max_results: 2, ...option }
      const first = await ask(request)
      const second = await ask({ ...request, cursor: first.next })
      expect([...urls(first), ...urls(second)].sort()).toEqual([1, 2, 3].map(n => `https://shop.example.com/${n}`))
      expect(first.wizards).toEqual((await ask({ query: 'storm lamp' })).wizards)
    }
  })

  it('answers on every page as of the instant of the first page', async () => {
    await engine.add([lampPage(20), lampPage(30, 'https://other.example.org/lamp')])
    const request = { query: 'storm lamp', sort: 'acquired_at', max_results: 1 }
    const { next: cursor, wizards } = await ask(request)
    on(1)
    await engine.add([lampPage(25)])
    expect((await ask({ ...request, cursor })).wizards).toEqual(wizards)
    expect((await ask(request)).wizards).not.toEqual(wizards)
  })

  it('calls no wizard for a query that is a URL', async () => {
    await engine.add([lampPage(20)])
    const body = await ask({ query: 'https://shop.example.com/lamp' })
    expect(body.results).toHaveLength(1)
    expect(body.wizards).toBeUndefined()
  })

  it('reads microdata, OpenGraph and data that was given with a capture', async () => {
    await engine.add([
      {
        url: 'https://a.example.com/',
        html: '<title>Oil lamp</title><div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>Oil lamp</h1><div itemprop=offers itemscope itemtype="https://schema.org/Offer"><span itemprop=price content="9.50">9,50 €</span><meta itemprop=priceCurrency content=EUR></div></div>',
      },
      {
        url: 'https://b.example.com/',
        html: '<meta property=og:title content="Oil lamp, brass"><meta property=product:price:amount content="12"><meta property=product:price:currency content=USD><p>An oil lamp of brass',
      },
      {
        url: 'https://c.example.com/',
        markdown: '# Oil lamp of tin',
        data: [{ '@type': 'Product', name: 'Oil lamp of tin', offers: { price: 3, priceCurrency: 'GBP' } }],
      },
    ])
    const { wizards } = await ask({ query: 'oil lamp' })
    const prices = wizards?.map(({ url, price, currency }) => [url, price, currency]).sort()
    expect(prices).toEqual([
      ['https://a.example.com/', 9.5, 'EUR'],
      ['https://b.example.com/', 12, 'USD'],
      ['https://c.example.com/', 3, 'GBP'],
    ])
  })
})

describe('the policy of the caller', () => {
  beforeAll(async () => {
    await openNew()
    await engine.add([lampPage(20)])
  })
  afterAll(closeAndForget)

  const search = (request: Record<string, unknown>, policy: CallerPolicy) =>
    createService(engine, refuseLive).answer('search', parseRequest(searchRequest, request), { policy })

  it('may enable wizards by default', async () => {
    const { body } = await search({ query: 'storm lamp' }, { wizardsByDefault: true })
    expect(body.wizards).toHaveLength(1)
  })

  it('leaves wizards out under zero data retention, with a warning in addition to those of the query', async () => {
    const policy = { zdr: true, wizardsByDefault: true }
    const { body } = await search({ query: 'storm lamp' }, policy)
    expect(body.results).toHaveLength(1)
    expect(body.wizards).toBeUndefined()
    expect(body.warning).toBe('wizards were left out: this organization is under a zero data retention policy')
    const ofSite = await search({ query: 'site:shop.example.com' }, policy)
    expect(ofSite.body.warning).toMatch(/held only a site.*; wizards were left out/)
  })

  it('rejects a request that enables wizards under zero data retention', async () => {
    await expect(search({ query: 'storm lamp', enable_wizards: true }, { zdr: true })).rejects.toMatchObject({
      kind: 'zdr_wizards_unsupported',
      statusCode: 400,
    })
  })
})

describe("an embedder's wizard", () => {
  const saying = (answer: Wizard['answer'], name = 'mine'): Wizard => ({ name, answer })
  const elsewhere: WizardCapture = { url: 'https://shop.example.com/lamp', title: '', acquiredAt: 0, data: [] }

  beforeAll(async () => {
    await openNew()
    await engine.add([lampPage(20)])
  })
  afterAll(closeAndForget)

  it('gets the captures as of the query time, and can look up more', async () => {
    let terms: readonly string[] = []
    const wizard = saying(async question => {
      terms = question.terms
      const looked = await question.capture('https://shop.example.com/lamp')
      return looked ? [{ capture: looked, fields: { title: looked.title, items: looked.data.length } }] : []
    })
    expect((await ask({ query: 'the lamps' }, [wizard])).wizards).toEqual([
      {
        wizard: 'mine',
        url: 'https://shop.example.com/lamp',
        acquired_at: '2026-01-01T00:00:00.000Z',
        title: 'Storm lamp',
        items: 1,
      },
    ])
    expect(terms).toEqual(['lamp'])
  })

  it('can not set the fields of type and source, and returns at most 10 items', async () => {
    const fields = { wizard: 'places', url: 'https://evil.example/', acquired_at: 'never', n: 1 }
    const wizard = saying(({ captures }) => Array(50).fill({ capture: captures[0], fields }))
    const { wizards = [] } = await ask({ query: 'lamp' }, [wizard])
    expect(wizards).toHaveLength(10)
    expect(wizards[0]).toEqual({
      wizard: 'mine',
      url: 'https://shop.example.com/lamp',
      acquired_at: '2026-01-01T00:00:00.000Z',
      n: 1,
    })
  })

  it.each<[string, Wizard['answer']]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('broken'))],
    ['does not return a list', () => null as never],
    ['returns a capture that it made itself', () => [{ capture: elsewhere, fields: {} }]],
    ['returns a value that is not JSON', ({ captures }) => [{ capture: captures[0]!, fields: { n: 1n } }]],
    [
      'returns an item that is too large',
      ({ captures }) => [{ capture: captures[0]!, fields: { text: 'x'.repeat(17_000) } }],
    ],
    [
      'takes too long',
      ({ signal }) => new Promise(resolve => signal.addEventListener('abort', () => setImmediate(resolve, []))),
    ],
  ])('that %s is left out and reported; the others answer', async (_what, answer) => {
    const { results, wizards } = await ask({ query: 'storm lamp' }, [saying(answer), ...builtInWizards], 1_000)
    expect(results).toHaveLength(1)
    expect(wizards?.map(({ wizard }) => wizard)).toEqual(['product_prices'])
    expect(failures.map(([name]) => name)).toEqual(['mine'])
    expect(failures[0]![1]).toBeInstanceOf(Error)
  })
})
