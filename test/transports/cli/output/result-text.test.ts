import { describe, expect, it } from 'vitest'
import { searchText } from '../../../../transports/cli/output/result-text.ts'

describe('search results for a reader', () => {
  it('have the items of wizards above them, field by field, with their source', () => {
    const text = searchText(
      {
        query: 'lamp',
        mode: 'pro',
        results: [],
        wizards: [
          {
            wizard: 'product_prices',
            url: 'https://shop.example.com/lamp',
            acquired_at: '2026-01-02T00:00:00.000Z',
            name: 'Lamp\x1b[2J',
            price: 20,
            colours: ['red', 'blue'],
          },
        ],
      },
      false,
    )
    expect(text).toBe(
      [
        '[product_prices] https://shop.example.com/lamp, indexed 2026-01-02T00:00:00.000Z',
        '   name: Lamp [2J',
        '   price: 20',
        '   colours: ["red","blue"]',
        '',
        'no results',
      ].join('\n'),
    )
  })

  it('have their language behind the dates, where the search named one', () => {
    const result = {
      title: 'T',
      url: 'https://a.example/',
      description: '' as const,
      published_at: '2026-01-02T00:00:00Z',
    }
    const results = [{ ...result, language: 'de' }, result]
    const lines = searchText({ query: 'a', mode: 'pro', results }, false).split('\n')
    expect(lines.filter(line => line.includes('a.example'))).toEqual([
      '   https://a.example/  published 2026-01-02, in de',
      '   https://a.example/  published 2026-01-02',
    ])
  })
})
