import { describe, expect, it } from 'vitest'
import { explainText } from '../../../../transports/cli/output/explain-text.ts'

const timings = { parse: 0.1, statistics: 0.25, topK: 1, snippets: 0.5, total: 1.85 }
const response = {
  query: 'river stone',
  mode: 'pro' as const,
  results: [{ title: 'T', url: 'https://a.example/1', description: '' as const }],
}

describe('an explanation as text', () => {
  it('names the steps with their times, and each result with the parts of its score, which add up', () => {
    const text = explainText(response, {
      timings,
      scores: [
        [
          { term: 'river', weight: 12, frequency: 4, length: 812, score: 11.5 },
          { term: ':icu-77=ตลาด', weight: 1, frequency: 1, length: 812, score: 0.25 },
          { signal: 'lead', weight: 0.5, value: 1, score: 0.5 },
        ],
      ],
    })
    expect(text.split('\n')).toEqual([
      'time: parse 0.10 ms, statistics 0.25 ms, top-k 1.00 ms, snippets 0.50 ms, total 1.85 ms',
      '1. https://a.example/1',
      '     score   weight   value  words  part',
      '   11.5000  12.0000       4    812  river',
      '    0.2500   1.0000       1    812  ตลาด (icu-77)',
      '    0.5000   0.5000  1.0000         signal lead',
      '   12.2500                          sum',
    ])
  })

  it('says what language the query was analysed in, and that a page was looked up', () => {
    expect(
      explainText(response, { timings, scores: [[]], language: 'de' })
        .split('\n')
        .slice(1),
    ).toEqual([
      'language of the query: de',
      '1. https://a.example/1',
      '   no score: it was looked up by its URL, or listed as a page of the site',
    ])
  })
})
