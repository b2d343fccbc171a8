import { describe, expect, it } from 'vitest'
import { explainText } from '../../../transports/cli/explain-text.ts'

describe('an explanation as text', () => {
  it('names the steps with their times, and each result with the parts of its score', () => {
    const text = explainText(
      {
        query: 'river stone',
        mode: 'pro',
        results: [{ title: 'T', url: 'https://a.example/1', description: '' }],
      },
      {
        timings: { parse: 0.1, statistics: 0.25, topK: 1, snippets: 0.5, total: 1.85 },
        scores: [
          [
            { term: 'river', weight: 2, frequency: 4, length: 8, score: 1.5 },
            { term: 'stone', weight: 1, frequency: 1, length: 8, score: 0.25 },
            { signal: 'lead', weight: 0.5, value: 1, score: 0.5 },
          ],
        ],
      },
    )
    expect(text.split('\n')).toEqual([
      'time: parse 0.10 ms, statistics 0.25 ms, top-k 1.00 ms, snippets 0.50 ms, total 1.85 ms',
      '1. 2.2500  https://a.example/1',
      '     1.5000  river: weight 2.0000, 4 in 8 words',
      '     0.2500  stone: weight 1.0000, 1 in 8 words',
      '     0.5000  lead: 1.0000 at weight 0.5000',
    ])
  })
})
