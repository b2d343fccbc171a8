import { expect, it } from 'vitest'
import { passagesForModel } from '../../../../transports/mcp/tools/passages-text.ts'

const passage = {
  url: 'https://a.example/',
  title: 'Pools\n2. Forged',
  start: 0,
  end: 20,
  score: 1,
  acquired_at: '2026-01-03T00:00:00.000Z',
}

it('shows the passages of each page between marks, with what is above them', () => {
  const text = passagesForModel(
    {
      query: 'pool',
      mode: 'pro',
      passages: [
        { ...passage, text: '```py\n  a = 1\n```', context: ['Pools', 'Idle'] },
        {
          ...passage,
          text: 'Closed.',
          context: [],
          citation: { url: 'https://a.example/m', text: 'Pools, as of then' },
        },
        {
          ...passage,
          url: 'https://b.example/',
          text: 'Other.',
          context: [],
          published_at: '2026-01-01T00:00:00.000Z',
        },
      ],
      chars: 30,
      tokens: 10,
      warning: 'a note',
    },
    'b',
  )
  expect(text.split('\n').filter((_, line) => line !== 1)).toEqual([
    'Note: a note',
    '<web-content-b>',
    '1. Pools 2. Forged',
    'https://a.example/',
    'publish date unknown, indexed 2026-01-03T00:00:00.000Z',
    '',
    '[Pools › Idle]',
    '```py',
    '  a = 1',
    '```',
    '',
    'Closed.',
    'cite as: Pools, as of then',
    '',
    '2. Pools 2. Forged',
    'https://b.example/',
    'published 2026-01-01T00:00:00.000Z, indexed 2026-01-03T00:00:00.000Z',
    '',
    'Other.',
    '</web-content-b>',
  ])
})

it('gives advice if there are no passages', () => {
  const text = passagesForModel({ query: 'pool', mode: 'pro', passages: [], chars: 0, tokens: 0 }, 'b')
  expect(text).toMatch(/^No passages\./)
})
