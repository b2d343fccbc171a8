import { expect, it } from 'vitest'
import { passagesText } from '../../../../transports/cli/output/passages-text.ts'

it('prints each page with its passages, the lines of which stay as they are', () => {
  const page = {
    url: 'https://a.example/',
    title: 'Pools',
    start: 0,
    end: 9,
    score: 1,
    acquired_at: '2026-01-03T00:00:00.000Z',
  }
  const text = passagesText(
    {
      query: 'pool',
      mode: 'pro',
      passages: [
        { ...page, text: '| a | b |\n| 1 | 2 |', context: ['Pools', 'Idle'] },
        { ...page, text: 'Closed.\n\nOpened.', context: [] },
      ],
      chars: 26,
      tokens: 9,
      warning: 'a note',
    },
    false,
    Date.UTC(2026, 0, 5),
  )
  expect(text.split('\n')).toEqual([
    'as of 2026-01-05T00:00:00.000Z',
    '',
    'warning: a note',
    '',
    '1. Pools',
    '   https://a.example/',
    '   undated, indexed 2026-01-03T00:00:00.000Z',
    '',
    '   Pools › Idle',
    '   | a | b |',
    '   | 1 | 2 |',
    '',
    '   Closed.',
    '',
    '   Opened.',
    '',
    '26 characters, about 9 tokens',
  ])
})

it('says that there are no passages', () => {
  expect(passagesText({ query: 'pool', mode: 'pro', passages: [], chars: 0, tokens: 0 }, false)).toBe('no passages')
})
