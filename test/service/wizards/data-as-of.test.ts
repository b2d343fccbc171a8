import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { createService, parseRequest, searchRequest } from '../../../service/index.ts'

const DAY_MS = 86_400_000
const day = (number: number): number => Date.UTC(2026, 0, number)

let engine: Engine
let now = day(1)

beforeEach(async () => {
  now = day(1)
  engine = await open(':memory:', { now: () => now })
})
afterEach(async () => {
  await engine.close()
})

/** Creates a page with its price only in its data. */
function lampPage(price: number) {
  const offers = { '@type': 'Offer', price, priceCurrency: 'EUR' }
  const data = JSON.stringify({ '@type': 'Product', name: 'Storm lamp', sku: 'LAMP-7', offers })
  const script = `<script type="application/ld+json">${data}</script>`
  return {
    url: 'https://shop.example.com/lamp',
    html: `<title>Storm lamp</title>${script}<main><h1>Storm lamp</h1><p>A lamp for storms. Ask for its price.</p></main>`,
  }
}

const ratePage = (price: number) => ({
  url: 'https://bank.example.com/rates',
  title: 'Exchange rates',
  text: 'The rates of the day.',
  data: [
    { '@type': 'ExchangeRateSpecification', currency: 'EUR', currentExchangeRate: { price, priceCurrency: 'USD' } },
  ],
})

/** Returns the wizards' items as of an instant; default: now. */
async function wizardsAt(query: string, instant?: number) {
  const readLive = async () => Promise.reject(new Error('no live fetch here'))
  const service = createService(engine, readLive, { wizardTimeoutMs: 60_000 })
  const query_time = instant === undefined ? {} : { query_time: new Date(instant).toISOString() }
  const request = parseRequest(searchRequest, { query, enable_wizards: true, ...query_time })
  return (await service.answer('search', request)).body.wizards ?? []
}

describe('a wizard answers from the data as of the query time even if the text of the page never changed', () => {
  it('with the price of that day, before, between and after changes', async () => {
    for (const [at, price] of [
      [2, 20],
      [5, 25],
      [8, 25],
      [9, 20],
    ] as const) {
      now = day(at)
      await engine.add([lampPage(price)])
    }
    now = day(20)
    const priceAt = async (instant?: number) => (await wizardsAt('storm lamp price', instant)).map(({ price }) => price)
    expect(await priceAt(day(2) - 1)).toEqual([])
    expect(await priceAt(day(2))).toEqual([20])
    expect(await priceAt(day(5) - 1)).toEqual([20])
    expect(await priceAt(day(5))).toEqual([25])
    expect(await priceAt(day(9) - 1)).toEqual([25])
    expect(await priceAt(day(9))).toEqual([20])
    expect(await priceAt()).toEqual([20])
  })

  it('with the exchange rate of that day', async () => {
    for (const [at, rate] of [
      [2, 1.1],
      [5, 1.2],
    ] as const) {
      now = day(at)
      await engine.add([ratePage(rate)])
    }
    now = day(20)
    const convertedAt = async (instant?: number) =>
      (await wizardsAt('10 EUR in USD', instant)).map(item => item.converted_amount)
    expect(await convertedAt(day(4))).toEqual([11])
    expect(await convertedAt(day(5))).toEqual([12])
    expect(await convertedAt()).toEqual([12])
  })

  it('with declared history, whatever the order of arrival', async () => {
    now = day(20)
    for (const [at, price] of [
      [5, 25],
      [2, 20],
    ] as const)
      await engine.add([{ ...lampPage(price), acquiredAt: day(at) }])
    const priceAt = async (instant?: number) => (await wizardsAt('storm lamp price', instant)).map(({ price }) => price)
    expect(await priceAt(day(2) + DAY_MS)).toEqual([20])
    expect(await priceAt(day(6))).toEqual([25])
    expect(await priceAt()).toEqual([25])
  })
})
