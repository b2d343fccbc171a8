import { expect, it } from 'vitest'
import { verdictText } from '../../../../transports/cli/output/verdict-text.ts'

it('says what the page contradicts, with what both say', () => {
  const text = verdictText({
    verdict: 'contradicted',
    url: 'https://a.example/',
    instant: '2026-01-05T00:00:00.000Z',
    passage: { text: 'It has now 31 rooms', start: 0, end: 19 },
    differences: [
      { quote: '', page: 'now' },
      { quote: '25', page: '31', contradicts: 'number' },
    ],
    stood: [],
  })
  expect(text.split('\n')).toEqual([
    'The page says something else. (as of 2026-01-05T00:00:00.000Z)',
    'passage: “It has now 31 rooms”',
    'the quote has nothing, the page “now”',
    'another number: the quote has “25”, the page “31”',
    'the page never had the quote',
  ])
})
