import { describe, expect, it } from 'vitest'
import { productPrices } from '../../../service/wizards/product-prices.ts'
import { fieldsOf } from './wizard-question.ts'

const headphones = {
  '@context': 'https://schema.org/',
  '@type': 'Product',
  name: 'Aurora WH-900 Wireless Headphones',
  image: ['https://shop.example.com/wh900.jpg'],
  description: 'Closed, with noise cancelling.',
  sku: 'WH900-B',
  gtin13: '4012345678901',
  brand: { '@type': 'Brand', name: 'Aurora' },
  aggregateRating: { '@type': 'AggregateRating', ratingValue: '4.4', reviewCount: '89' },
  offers: {
    '@type': 'Offer',
    url: 'https://shop.example.com/wh900',
    priceCurrency: 'EUR',
    price: '1.299,00 €',
    priceValidUntil: '2026-11-20',
    itemCondition: 'https://schema.org/NewCondition',
    availability: 'https://schema.org/InStock',
    seller: { '@type': 'Organization', name: 'Example Shop' },
  },
}

const answers = (query: string, ...data: unknown[]) => fieldsOf(productPrices, query, ...data)

describe('product_prices', () => {
  it('answers with the price of a product as a number', async () => {
    expect(await answers('aurora headphones price', headphones)).toEqual([
      {
        name: 'Aurora WH-900 Wireless Headphones',
        brand: 'Aurora',
        sku: 'WH900-B',
        gtin: '4012345678901',
        price: 1299,
        currency: 'EUR',
        availability: 'in_stock',
        condition: 'new',
        seller: 'Example Shop',
        price_valid_until: '2026-11-20',
        rating: 4.4,
        rating_count: 89,
      },
    ])
  })

  it.each([
    'wireless headphone',
    'headphones price',
    'WH900-B',
    'how much are Aurora headphones',
    'cheap wireless headphones',
  ])('answers %j, which names the product', async query => {
    expect(await answers(query, headphones)).toHaveLength(1)
  })

  it.each(['price', 'aurora', 'headphones', 'wireless speakers', 'aurora borealis headphones', 'best things to buy'])(
    'does not answer %j',
    async query => {
      const named = query === 'aurora' ? { ...headphones, name: 'WH-900 Wireless Headphones' } : headphones
      expect(await answers(query, named)).toEqual([])
    },
  )

  it('answers with the price range of an aggregate offer, of several offers, and of variants', async () => {
    const lamp = { '@type': 'Product', name: 'Desk lamp' }
    const offer = (price: unknown, more = {}) => ({ '@type': 'Offer', price, priceCurrency: 'USD', ...more })
    const range = { low_price: 10, high_price: 30, currency: 'USD' }
    const aggregate = { '@type': 'AggregateOffer', lowPrice: '10', highPrice: 30, priceCurrency: 'USD', offerCount: 3 }
    expect(await answers('desk lamp', { ...lamp, offers: aggregate })).toMatchObject([range])
    expect(await answers('desk lamp', { ...lamp, offers: [offer(30), offer('10.00')] })).toMatchObject([range])
    const nested = { '@type': 'AggregateOffer', offers: [offer(30), offer(10, { availability: 'InStock' })] }
    expect(await answers('desk lamp', { ...lamp, offers: nested })).toMatchObject([
      { ...range, availability: 'in_stock' },
    ])
    const hasVariant = [
      { '@type': 'Product', name: 'Desk lamp, red', offers: offer(10) },
      { '@type': 'Product', name: 'Desk lamp, blue', offers: offer(30) },
    ]
    expect(await answers('desk lamp', { ...lamp, '@type': 'ProductGroup', hasVariant })).toMatchObject([
      { name: 'Desk lamp', ...range },
      { name: 'Desk lamp, red', price: 10 },
      { name: 'Desk lamp, blue', price: 30 },
    ])
  })

  it('does not compare prices in different currencies', async () => {
    const offers = [
      { '@type': 'Offer', price: 10, priceCurrency: 'USD' },
      { '@type': 'Offer', price: 900, priceCurrency: 'JPY' },
    ]
    expect(await answers('lamp', { '@type': 'Product', name: 'Lamp', offers })).toEqual([
      { name: 'Lamp', price: 10, currency: 'USD' },
    ])
  })

  it('reads price specifications and offers that name their product', async () => {
    const specification = { '@type': 'UnitPriceSpecification', price: '5.50', priceCurrency: 'GBP' }
    const product = {
      '@type': 'Product',
      name: 'Tea',
      offers: [{ '@type': 'Offer', priceSpecification: [specification] }],
    }
    expect(await answers('tea', { '@graph': [product] })).toEqual([{ name: 'Tea', price: 5.5, currency: 'GBP' }])
    const offer = { '@type': 'Offer', price: 3, priceCurrency: 'GBP', itemOffered: { '@type': 'Product', name: 'Cup' } }
    expect(await answers('cup', offer)).toEqual([{ name: 'Cup', price: 3, currency: 'GBP' }])
  })

  it('reads availability in different spellings', async () => {
    const lamp = (availability: unknown) => ({ '@type': 'Product', name: 'Lamp', offers: { price: 5, availability } })
    for (const written of ['instock', 'InStock', 'in stock', 'http://schema.org/InStock', { '@id': 'schema/InStock' }])
      expect(await answers('lamp', lamp(written))).toMatchObject([{ availability: 'in_stock' }])
    expect(await answers('lamp', lamp('oos?'))).toEqual([{ name: 'Lamp', price: 5 }])
  })

  it('has one item for a product that a page declares twice', async () => {
    expect(await answers('aurora headphones', headphones, { ...headphones, image: [] })).toHaveLength(1)
  })

  it.each([
    ['no price', { '@type': 'Product', name: 'Lamp', offers: { price: 'ask us' } }],
    ['a negative price', { '@type': 'Product', name: 'Lamp', offers: { price: -5 } }],
    ['no name', { '@type': 'Product', offers: { price: 5 } }],
    ['a name that is not a text', { '@type': 'Product', name: { lamp: true }, offers: { price: 5 } }],
    ['offers that are not offers', { '@type': 'Product', name: 'Lamp', offers: 'lots' }],
    ['another type', { '@type': 'Article', name: 'Lamp', offers: { price: 5 } }],
  ])('says nothing about %s', async (_what, item) => {
    expect(await answers('lamp', item)).toEqual([])
  })
})
