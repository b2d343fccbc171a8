import { describe, expect, it, vi } from 'vitest'
import { questionsOf } from '../../../bench/quality/wizard-questions.ts'
import { wizards } from '../../../bench/quality/wizards.ts'

const product = {
  '@type': 'Product',
  name: 'Salt &amp; pepper',
  sku: 'SP-100',
  offers: [{ price: '1.299,00', priceCurrency: 'EUR' }, { price: 20 }],
}

describe('questionsOf', () => {
  it('asks about the structured data of a page, as a user would', () => {
    const place = { '@type': 'Hotel', name: 'Lucia', address: 'Main St 1' }
    const company = { '@type': 'Corporation', name: 'Acme', tickerSymbol: 'NYSE: ACM' }
    const questions = questionsOf([{ '@graph': [product] }, place, company])
    expect(questions.map(({ wizard, query }) => [wizard, query])).toEqual([
      ['product_prices', 'Salt & pepper price'],
      ['product_prices', 'SP-100 price'],
      ['places', 'Lucia address'],
      ['finance', 'Acme stock'],
      ['finance', 'ACM'],
    ])
    expect(
      questionsOf([
        { '@type': 'Article', name: 'Salt' },
        { '@type': 'Product', name: 'No price' },
      ]),
    ).toEqual([])
  })

  it('accepts only answers that agree with the data', () => {
    const isRight = questionsOf([product])[0]!.isRight
    expect(isRight({ name: 'Salt & Pepper', price: 1299 })).toBe(true)
    expect(isRight({ name: 'Salt & Pepper', low_price: 20, high_price: 1299 })).toBe(true)
    expect(isRight({ name: 'Salt & Pepper', price: 21 })).toBe(false)
    expect(isRight({ name: 'Pepper', price: 20 })).toBe(false)
  })

  it('prints a message and exits if the page sets are missing', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await wizards(['--fixtures', '/no/such/folder'])
      expect(log.mock.calls).toEqual([['skipped: --fixtures /no/such/folder does not exist']])
    } finally {
      log.mockRestore()
    }
  })
})
