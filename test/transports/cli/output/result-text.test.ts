import { describe, expect, it } from 'vitest'
import { searchText } from '../../../../transports/cli/output/result-text.ts'
import { columnsOf } from '../../../../transports/cli/output/wrapped-text.ts'

describe('search results for a reader', () => {
  it('begin with the items of wizards, with their source and fields', () => {
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

  it('begin with the instant of an answer about the past, also if nothing was found', () => {
    const response = { query: 'a', mode: 'pro' as const, results: [], warning: 'w' }
    expect(searchText(response, false, Date.UTC(2024, 4, 31))).toBe(
      'as of 2024-05-31T00:00:00.000Z\n\nwarning: w\n\nno results',
    )
    expect(searchText(response, false)).not.toContain('as of')
  })

  it('show the fields of a result', () => {
    const result = { title: 'T', url: 'https://a.example/', description: '' as const, fields: { price: 19.9 } }
    expect(searchText({ query: 'a', mode: 'pro', results: [result] }, false)).toContain('\n   fields: {"price":19.9}')
  })

  it('show the language of a result if the response has it', () => {
    const result = {
      title: 'T',
      url: 'https://a.example/',
      description: '' as const,
      published_at: '2026-01-02T00:00:00Z',
    }
    const results = [{ ...result, language: 'de' }, result]
    const lines = searchText({ query: 'a', mode: 'pro', results }, false).split('\n')
    expect(lines.filter(line => line.includes('published'))).toEqual([
      '   published 2026-01-02, in de',
      '   published 2026-01-02',
    ])
  })

  const response = {
    query: 'ships',
    mode: 'pro' as const,
    results: [
      {
        title: 'Ships\x1b[2J',
        url: 'https://example.com/',
        description: '' as const,
        snippet: 'Old\n**ships** at\x07 sea',
        published_at: '2024-03-01T10:00:00.000Z',
        acquired_at: '2024-03-02T11:12:13.456Z',
      },
    ],
  }

  it('show title, URL, dates and snippet, without control characters', () => {
    expect(searchText(response, false).split('\n')).toEqual([
      '1. Ships [2J',
      '   https://example.com/',
      '   published 2024-03-01, indexed 2024-03-02T11:12:13.456Z',
      '   Old **ships** at sea',
    ])
  })

  it('show matches in bold in color', () => {
    expect(searchText(response, true)).toContain('\x1b[1mships\x1b[22m')
  })

  it('fit into 80 columns except for long URLs, in any script', () => {
    const result = {
      ...response.results[0]!,
      title: 'A title that goes on '.repeat(6),
      url: `https://example.com/${'path/'.repeat(20)}`,
      snippet: `${'words in a row '.repeat(12)} ${'長い日本語の文章。'.repeat(12)}`,
    }
    const text = searchText({ ...response, warning: 'a warning '.repeat(12), results: [result] }, true)
    const wide = text.split('\n').filter(line => columnsOf(line) > 80)
    expect(wide).toEqual([`   ${result.url}`])
  })
})
