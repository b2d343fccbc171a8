import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { identifiersOf, MAX_IDENTIFIERS } from '../../../core/ingest/identifiers.ts'

describe('the identifiers of structured data', () => {
  it('are the values of the properties that identify a thing, each once, outer items first', () => {
    const data = [
      {
        '@type': 'Product',
        offers: [{ sku: 'inner-2' }],
        sku: ['SKU-1', 'SKU-1'],
        gtin13: 4006381333931,
        productID: 'isbn:9783161484100',
        identifier: { '@type': 'PropertyValue', propertyID: 'mpn', value: 'MP-77' },
      },
      { '@type': 'Corporation', tickerSymbol: 'F' },
      {
        '@type': 'ExchangeRateSpecification',
        currency: 'eur',
        currentExchangeRate: { price: 1.1, priceCurrency: 'USD' },
      },
    ]
    expect(identifiersOf(data)).toEqual(['SKU-1', '4006381333931', '9783161484100', 'F', 'EUR/USD', 'MP-77', 'inner-2'])
  })

  it('exclude placeholders, short numbers, long values, and values that are neither text nor a whole number', () => {
    const values = ['N/A', 'none', '0', '000', '12', '-', '', 'x'.repeat(65), 1.5, Number.NaN, null, {}, true]
    expect(identifiersOf(values.map(sku => ({ sku })))).toEqual([])
  })

  it('exclude those of things that are only related to the thing the page is about', () => {
    expect(identifiersOf([{ sku: 'own-1', isRelatedTo: { sku: 'other-2' }, review: [{ sku: 'other-3' }] }])).toEqual([
      'own-1',
    ])
  })

  it('are bounded in number, length and depth, whatever the data', () => {
    let deep: Record<string, unknown> = { sku: 'too-deep' }
    for (let depth = 0; depth < 100; depth++) deep = { inner: deep }
    expect(identifiersOf([deep])).toEqual([])
    const wide = Array.from({ length: 100_000 }, (_, i) => ({ sku: `SKU-${i}`, inner: [{}, {}, [[]]] }))
    expect(identifiersOf(wide)).toHaveLength(MAX_IDENTIFIERS)
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.constantFrom('sku', 'a', 'value', 'propertyID'), fc.jsonValue())), data => {
        const found = identifiersOf(data)
        expect(found.length).toBeLessThanOrEqual(MAX_IDENTIFIERS)
        for (const identifier of found) expect(identifier.length).toBeLessThanOrEqual(64)
      }),
    )
  })
})
