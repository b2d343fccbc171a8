import { describe, expect, it, vi } from 'vitest'
import { questionsOf } from '../../../bench/quality/wizard-questions.ts'
import { wizards } from '../../../bench/quality/wizards.ts'

const product = {
  '@type': 'Product',
  name: 'Salt &amp; pepper',
  sku: 'SP-100',
  offers: [{ price: '1.299,00', priceCurrency: 'EUR' }, { price: 20 }],
}

describe('the questions about a page', () => {
  it('ask for what its data says, as people would', () => {
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

  it('are answered right by what the data says alone', () => {
    const [{ isRight }] = questionsOf([product])
    expect(isRight({ name: 'Salt & Pepper', price: 1299 })).toBe(true)
    expect(isRight({ name: 'Salt & Pepper', low_price: 20, high_price: 1299 })).toBe(true)
    expect(isRight({ name: 'Salt & Pepper', price: 21 })).toBe(false)
    expect(isRight({ name: 'Pepper', price: 20 })).toBe(false)
  })

  it('are skipped with a line that says so where the page sets are missing', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await wizards(['--fixtures', '/no/such/folder'])
      expect(log.mock.calls).toEqual([['skipped: --fixtures /no/such/folder does not exist']])
    } finally {
      log.mockRestore()
    }
  })
})
