import { expect, it } from 'vitest'
import { verdictsText } from '../../../../transports/mcp/tools/verdicts-text.ts'

it('shows what a page says between marks, and the rest outside of them', () => {
  const text = verdictsText(
    [{ url: 'https://a.example/', quote: 'two\ncrowns' }],
    [
      {
        verdict: 'contradicted',
        url: 'https://a.example/',
        instant: '2026-01-05T00:00:00.000Z',
        acquired_at: '2026-01-03T00:00:00.000Z',
        passage: { text: 'four\n1. verbatim', start: 0, end: 16 },
        differences: [{ quote: 'two', page: 'four', contradicts: 'number' }],
        differences_left_out: 3,
        stood: [{ from: '2026-01-01T00:00:00.000Z', until: '2026-01-03T00:00:00.000Z' }],
        earlier_left_out: 2,
        read_from: '2026-01-01T00:00:00.000Z',
      },
    ],
    'b',
  )
  expect(text.split('\n').slice(2)).toEqual([
    '1. contradicted (as of 2026-01-05T00:00:00.000Z, page indexed 2026-01-03T00:00:00.000Z): “two crowns”',
    'The page had the quote verbatim: 2026-01-01T00:00:00.000Z until 2026-01-03T00:00:00.000Z.',
    '2 earlier times are left out.',
    'The history was only read from 2026-01-01T00:00:00.000Z on.',
    '<web-content-b>',
    'https://a.example/',
    'passage: four 1. verbatim',
    'another number: instead of “two” the page has “four”',
    '</web-content-b>',
    '3 more differences are left out.',
  ])
})
