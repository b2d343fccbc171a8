import { describe, expect, it } from 'vitest'
import { extractReport } from '../../../bench/extract/extract-report.ts'
import type { ExtractorScores } from '../../../bench/extract/extract-scores.ts'

const scores = (f1: number): ExtractorScores => ({
  sets: {
    wcxb: {
      pages: 2,
      failed: 1,
      shingle: { f1, precision: 0.5, recall: 0.6 },
      word: { f1: 0.7, precision: 0.5, recall: 0.6 },
      author: { exact: 0.25 },
      date: { exact: 0.5, precision: 0.75 },
    },
  },
  pages: [
    { bench: 'wcxb', id: 'good', url: 'https://a.example/', word: [1, 1, 0.9] },
    { bench: 'wcxb', id: 'bad', url: 'https://b.example/', word: [1, 1, 0.1] },
    { bench: 'wcxb', id: 'bad', url: 'https://b.example/', word: [1, 1, 0.1] },
    { bench: 'htmldate', id: 'unscored', url: 'https://c.example/' },
  ],
  speed: { wcxb: { pages: 10, mb: 1, cpuPagesPerSec: 123.4, cpuMbPerSec: 12.34, p50ms: 5, p95ms: 9 } },
})

const machine = { system: '', processor: 'P', cores: 2, memoryBytes: 1, node: 'v0', commit: 'abc' }

describe('extractReport', () => {
  const report = extractReport(
    new Map([
      ['asof', scores(0.8)],
      ['defuddle', scores(0.6)],
    ] as const),
    {
      machine,
      versions: { defuddle: '1.2.3' },
      command: 'extract',
    },
  )

  it('has a row for each extractor, with a dash where nothing was measured', () => {
    expect(report).toContain('| asof | – | 0.800 / 0.700 | – | – | 1 |')
    expect(report).toContain('| defuddle | – | 0.600 / 0.700 | – | – | 1 |')
    expect(report).toContain('| asof | – | – | 0.500 (0.750) | 0.250 | – |')
    expect(report).toContain('| asof | 123 pages, 12.3 MB; 5 / 9 |')
    expect(report).toContain('wcxb (100 KB a page)')
  })

  it('starts with one table of all extractors', () => {
    const [, , , , heads, , asof] = report.split('\n')
    expect(heads).toMatch(/^\| Extractor \|/)
    expect(asof).toBe('| asof | – | 0.700 | – | 0.250 | – | – |')
  })

  it('lists the worst pages of asof once each, worst first', () => {
    expect(report.trimEnd().split('\n').slice(-3)).toEqual([
      '| --- | --- | --- |',
      '| wcxb | bad: https://b.example/ | 0.100 |',
      '| wcxb | good: https://a.example/ | 0.900 |',
    ])
  })
})
