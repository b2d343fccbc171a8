import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CorpusInput } from '../../../crawler/corpus/corpus.ts'
import { crawl } from '../../../crawler/crawl/crawl.ts'
import { at, dir, engine, routes, site, useCrawledSite } from '../crawled-site.ts'
import type { Route } from '../site-server.ts'

useCrawledSite()

const text = 'A lamp of brass for the desk, with a shade of green glass, a heavy foot and a switch on the cable.'
const lamp =
  (price: string, etag: string): Route =>
  ({ headers }, response) => {
    if (headers['if-none-match'] === etag) return void response.writeHead(304).end()
    response.writeHead(200, { 'content-type': 'text/html', etag }).end(
      `<title>Lamp</title><script type="application/ld+json">{"@type":"Product","offers":{"price":"${price}"}}</script>
      <p data-sku="AB-17">${text}</p>`,
    )
  }

let fields: CorpusInput['fields']
const run = () =>
  crawl(
    engine,
    { name: 'shop', seeds: [at('/lamp')], fields },
    { dir: join(dir, 'crawl'), allowPrivate: true, delayMs: 0, retryDelayMs: 1 },
  )
const stored = async (queryTime?: number) => (await engine.page(at('/lamp'), { queryTime }))?.fields

beforeEach(() => {
  fields = { price: 'json-ld: offers.price', sku: 'css: [data-sku]::attr(data-sku)' }
  routes({ '/lamp': lamp('19.90', '"1"') })
})

describe('a crawl of a corpus with fields', () => {
  it('stores the fields of each page, by which searches filter', async () => {
    await run()
    expect(await stored()).toEqual({ price: 19.9, sku: 'AB-17' })
    const cheap = await engine.search('lamp', { filter: { price: { lt: 20 }, sku: { prefix: 'AB' } } })
    expect(cheap.results.map(({ url }) => url)).toEqual([at('/lamp')])
    expect((await engine.search('lamp', { filter: { price: { gt: 20 } } })).results).toEqual([])
  })

  it('makes a revision if only a field has changed, so that both values are found as of their times', async () => {
    await run()
    const before = (await engine.page(at('/lamp')))!.acquiredAt
    routes({ '/lamp': lamp('15', '"2"') })
    await run()
    expect((await engine.history(at('/lamp'))).versions.map(({ kind, changed }) => [kind, changed])).toEqual([
      ['capture', []],
      ['revision', ['data', 'fields']],
    ])
    expect([await stored(before), await stored()]).toEqual([
      { price: 19.9, sku: 'AB-17' },
      { price: 15, sku: 'AB-17' },
    ])
  })

  it('reads a page again that its site calls unchanged, once, if the definition has other fields now', async () => {
    fields = undefined
    await run()
    expect(await stored()).toBeUndefined()
    fields = { sku: 'css: [data-sku]::attr(data-sku)' }
    await run()
    expect(await stored()).toEqual({ sku: 'AB-17' })
    await run()
    expect(site.requests.filter(({ path }) => path === '/lamp').map(({ headers }) => headers['if-none-match'])).toEqual(
      [undefined, undefined, '"1"'],
    )
  })

  it('leaves a page out, and says why, whose field has another type in the index', async () => {
    await engine.add([{ url: 'https://a.example/', text: 'a', fields: { price: 'cheap' } }])
    const { failed } = await run()
    expect(failed).toEqual({ ASOF_INVALID_CAPTURE: 1 })
  })
})
