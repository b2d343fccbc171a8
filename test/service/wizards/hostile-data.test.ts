import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInWizards } from '../../../service/index.ts'
import { finance } from '../../../service/wizards/finance.ts'
import { places } from '../../../service/wizards/places.ts'
import { predictionMarkets } from '../../../service/wizards/prediction-markets.ts'
import { productPrices } from '../../../service/wizards/product-prices.ts'
import { captureOf, fieldsOf, questionOf } from './wizard-question.ts'

const lamp = (offers: unknown, more = {}) => ({ '@type': 'Product', name: 'Storm lamp', offers, ...more })
const prices = (...data: unknown[]) => fieldsOf(productPrices, 'storm lamp price', ...data)

describe('the price of an offer', () => {
  it.each([
    ['a huge string', '9'.repeat(1_000_000)],
    ['an unrealistically large number', '9'.repeat(90)],
    ['another such number', 1e300],
    ['not a number', Number.NaN],
    ['NaN as text', 'NaN'],
    ['infinity', Number.POSITIVE_INFINITY],
    ['negative', -5],
    ['negative in text', '-5.00 EUR'],
    ['in words', 'twenty euros'],
    ['on request', 'call us'],
    ['one of several', '2 for $5'],
    ['a range in text', '19.99 - 29.99'],
    ['in powers of ten', '1e3'],
    ['with a space in a strange place', '19 99'],
    ['nested', { value: { value: { value: 5 } } }],
    ['a list without values', [[], {}, null]],
    ['true', true],
    ['a script', '<script>alert(1)</script>'],
  ])('is none that is %s', async (_what, price) => {
    expect(await prices(lamp({ price, priceCurrency: 'EUR' }))).toEqual([])
  })

  it('is missing if its text names another currency than the offer', async () => {
    expect(await prices(lamp({ price: '£20', priceCurrency: 'EUR' }))).toEqual([])
    expect(await prices(lamp({ price: '€20', priceCurrency: 'EUR' }))).toMatchObject([{ price: 20, currency: 'EUR' }])
  })

  it('has no currency if that is a word, a name or a number', async () => {
    for (const priceCurrency of ['euros', 'the currency', 978, {}, 'x'.repeat(100_000), null])
      expect(await prices(lamp({ price: 20, priceCurrency }))).toEqual([expect.not.objectContaining({ currency: 1 })])
    const [item] = await prices(lamp({ price: 20, priceCurrency: 'euros' }))
    expect(item).not.toHaveProperty('currency')
  })
})

describe('offers of one product', () => {
  it('that contradict each other make a price range, whatever markup they come from', async () => {
    const range = { low_price: 20, high_price: 25, currency: 'EUR' }
    const [cheap, dear] = [20, 25].map(price => ({ price, priceCurrency: 'EUR' }))
    expect(await prices(lamp([cheap, dear]))).toMatchObject([range])
    const [both, ...others] = await prices(lamp(cheap), lamp(dear), lamp(cheap))
    expect(others).toEqual([])
    expect(both).toMatchObject(range)
    expect(both).not.toHaveProperty('price')
  })

  it('are ignored if the lowest price is above the highest', async () => {
    expect(await prices(lamp({ lowPrice: 50, highPrice: 20, priceCurrency: 'EUR' }))).toEqual([])
  })

  it('are all read up to 1,000; more have no price', async () => {
    const offers = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ price: 1000 + i, priceCurrency: 'EUR' })).reverse()
    expect(await prices(lamp(offers(1000)))).toMatchObject([{ low_price: 1000, high_price: 1999 }])
    expect(await prices(lamp(offers(1001)))).toEqual([])
    const variants = Array.from({ length: 100 }, () => ({ offers: offers(100) }))
    expect(await prices(lamp(undefined, { hasVariant: variants }))).toEqual([])
  })
})

describe('hostile data', () => {
  it('makes no item of an incomplete place, market or rate', async () => {
    const huge = 'x'.repeat(1_000_000)
    const hotel = { '@type': 'Hotel', name: 'Lucia', telephone: { nested: { again: huge } }, address: [[huge]] }
    for (const item of await fieldsOf(places, 'Lucia address', hotel))
      expect(JSON.stringify(item).length).toBeLessThan(4096)
    const outcomes = Array.from({ length: 100_000 }, (_, i) => ({ name: `o${i}`, probability: -1 }))
    expect(await fieldsOf(predictionMarkets, 'who will win odds', { question: 'Who will win?', outcomes })).toEqual([])
    const rate = { '@type': 'ExchangeRateSpecification', currency: huge, currentExchangeRate: { price: huge } }
    expect(await fieldsOf(finance, '1 eur in usd', rate)).toEqual([])
  })

  it('is processed by every wizard in bounded time without an error', async () => {
    const wide = Array.from({ length: 4_000 }, (_, i) => lamp(Array(50).fill({ price: i, priceCurrency: 'EUR' })))
    let deep: unknown = lamp({ price: 1 })
    for (let depth = 0; depth < 10_000; depth++) deep = { '@type': 'Product', name: 'Storm lamp', offers: [deep] }
    for (const query of ['storm lamp price', '1 eur in usd', 'storm lamp address'])
      for (const wizard of builtInWizards) {
        const captures = Array.from({ length: 10 }, () => captureOf([...wide, deep]))
        const cpu = process.cpuUsage()
        await wizard.answer(questionOf(query, captures))
        const { user, system } = process.cpuUsage(cpu)
        expect((user + system) / 1000, wizard.name).toBeLessThan(2_000)
      }
  })

  it('makes no wizard throw, whatever it is', async () => {
    const names =
      `@type name offers price lowPrice highPrice priceCurrency priceSpecification hasVariant tickerSymbol currency
      currentExchangeRate exchangeRateSpread referenceQuantity value outcomes outcomePrices probability question address geo
      latitude longitude telephone openingHours openingHoursSpecification dayOfWeek opens closes homeTeam awayTeam sport
      competitor startDate location amount minValue interestRate aggregateRating ratingValue url itemOffered`.match(
        /\S+/g,
      )
    const types =
      `Product Offer AggregateOffer Hotel Organization SportsEvent Corporation ExchangeRateSpecification LoanOrCredit
      Event`.match(/\S+/g)
    const { item } = fc.letrec<{ value: unknown; item: Record<string, unknown> }>(tie => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(
          ...(types ?? []),
          'storm lamp',
          'EUR',
          'USD',
          '12.5',
          '-1',
          '63%',
          'NaN',
          '',
          'http://',
          '9'.repeat(400),
        ),
        fc.oneof(fc.double(), fc.integer(), fc.boolean(), fc.constant(null), fc.string()),
        tie('item'),
        fc.array(tie('value'), { maxLength: 4 }),
      ),
      item: fc.dictionary(fc.constantFrom(...(names ?? [])), tie('value'), { maxKeys: 6 }),
    }))
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 4 }), async data => {
        for (const query of ['storm lamp price', '12 eur in usd', 'storm lamp address odds'])
          for (const wizard of builtInWizards)
            for (const { fields } of await wizard.answer(questionOf(query, [captureOf(data)]))) {
              expect(JSON.parse(JSON.stringify(fields))).toEqual(fields)
              for (const key of ['price', 'low_price', 'high_price', 'rate', 'converted_amount'] as const)
                expect(fields[key] === undefined || Number.isFinite(fields[key])).toBe(true)
              if (fields.low_price !== undefined && fields.high_price !== undefined)
                expect(Number(fields.low_price)).toBeLessThanOrEqual(Number(fields.high_price))
            }
      }),
      { numRuns: 300 },
    )
  })
})
