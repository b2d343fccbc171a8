import { expect, it } from 'vitest'
import { asciiWords, costOf, truthOf } from '../../../bench/quotes/quote-truth.ts'

const versions = [
  {
    at: 10,
    sentences: [
      ['The', 'old', 'harbor'],
      ['Open', '7.5', 'hours'],
    ],
  },
  {
    at: 20,
    sentences: [
      ['The', 'new', 'harbor'],
      ['Open', '7.5', 'hours'],
    ],
  },
  { at: 30 },
  { at: 40, sentences: [['The', 'old', 'harbor']] },
]

it('knows when a page had the parts of a quote, and how far the nearest passage is', () => {
  expect(truthOf([['the', 'old', 'harbor']], versions, 5)).toEqual({ verdict: 'unknown_page', stood: [] })
  expect(truthOf([['the'], ['open', '7.5']], versions, 25)).toEqual({
    verdict: 'verbatim',
    stood: [{ from: 10 }],
    cost: 0,
  })
  expect(truthOf([['the', 'old', 'harbor']], versions, 25)).toEqual({
    verdict: 'reworded',
    cost: 2,
    stood: [{ from: 10, until: 20 }],
  })
  expect(truthOf([['the', 'old', 'harbor']], versions, 35).verdict).toBe('gone')
  expect(truthOf([['the', 'old', 'harbor']], versions, 50).stood).toEqual([{ from: 10, until: 20 }, { from: 40 }])
  expect(truthOf([['some', 'other', 'words']], versions, 50).verdict).toBe('gone')
})

it('counts what differences cost', () => {
  expect(
    costOf([
      { quote: 'old', page: 'new' },
      { quote: '', page: 'two, more' },
      { quote: '7.5 hours', page: '' },
    ]),
  ).toBe(8)
})

it('reads words, and numbers without the commas of their groups', () => {
  expect(asciiWords("Don't pay -5.50$, x-3 (1,000%) 'so'. a.b")).toEqual([
    "Don't",
    'pay',
    '5.50',
    'x',
    '3',
    '1000',
    'so',
    'a',
    'b',
  ])
})
