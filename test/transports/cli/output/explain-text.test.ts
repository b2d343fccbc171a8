import { describe, expect, it } from 'vitest'
import { explainText, receiptText } from '../../../../transports/cli/output/explain-text.ts'

const timings = { parse_ms: 0.1, statistics_ms: 0.25, top_k_ms: 1, snippets_ms: 0.5, total_ms: 1.85 }
const response = {
  query: 'river stone',
  mode: 'pro' as const,
  results: [{ title: 'T', url: 'https://a.example/1', description: '' as const }],
}

describe('an explanation as text', () => {
  it('shows the time of each step, and for each result the parts of its score with their sum', () => {
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
      'time in ms: parse 0.10, statistics 0.25, top-k 1.00, snippets 0.50, total 1.85',
      '1. https://a.example/1',
      '     score   weight   value  words  part',
      '   11.5000  12.0000       4    812  river',
      '    0.2500   1.0000       1    812  ตลาด (icu-77)',
      '    0.5000   0.5000  1.0000         signal lead',
      '   12.2500                          sum',
    ])
  })

  it('shows the language of the query, and that a page was looked up', () => {
    expect(
      explainText(response, { timings, scores: [[]], language: 'de' })
        .split('\n')
        .slice(1),
    ).toEqual([
      'language of the query: de',
      '1. https://a.example/1',
      '   no score: the page was looked up by its URL, or listed as a page of the site',
    ])
  })
})

describe('a receipt as text', () => {
  const receipt = {
    instant: Date.UTC(2025, 2, 1, 9, 30, 5, 43),
    captures: 2,
    segments: 1,
    format: 1,
    analyzer: 1,
    ranking: 1,
    profile: 'pro',
    declared: 0,
    purged: 0,
    dropped: 0,
    undated: 0,
  }

  it('shows the instant in full, and leaves out counts of 0', () => {
    expect(receiptText(receipt)).toBe(
      'receipt: as of 2025-03-01T09:30:05.043Z, 2 captures stood, 1 segment,\n  ranking 1 (pro), analyzer 1, format 1',
    )
  })

  it('shows everything that had a part in the answer', () => {
    const text = receiptText({
      ...receipt,
      declared: 3,
      purged: 4,
      dropped: 5,
      retainedSince: Date.UTC(2024, 0, 1),
      undated: 6,
      vectors: { model: 'small', compared: 8, late: 7, query: 'ab12' },
      reranker: 'judge',
    })
    for (const part of ['3 declared', '4 purged', '5 deleted by retention', 'complete since 2024-01-01T00:00:00.000Z'])
      expect(text).toContain(part)
    expect(text.replace(/\s+/g, ' ')).toContain('6 left out without a publish date')
    expect(text.replace(/\s+/g, ' ')).toContain('model small, query vector ab12, 8 compared, 7 late, reranker judge')
  })
})
