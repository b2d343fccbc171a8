import { describe, expect, it } from 'vitest'
import { defaultPlans } from '../../../service/accounts/index.ts'
import type { Reader } from '../../../service/calls/reader.ts'
import { advise, type Market, wordingOf } from '../../../store/advisor/index.ts'
import { limits } from './limits.ts'

const market: Market = {
  limits,
  plans: defaultPlans,
  x402: { priceUsd: '0.01' },
  payments: ['x402'],
  baseUrl: 'https://search.example',
}
const { guide } = advise({ goal: 'Search for 5000 companies', payment: 'x402' }, market)

/** A model that answers with a change of the text that it reads. */
function model(change: (text: string) => string): Reader {
  return { read: async ({ markdown }) => ({ content: change(markdown), reader: 'llm' }) }
}

describe('a reworded guide', () => {
  it('is used if all its facts are those of the guide', async () => {
    const change = (text: string) => text.replace('## Next calls', '## What to call next')
    expect(guide).toContain('## Next calls')
    expect(await wordingOf(model(change))(guide)).toBe(change(guide))
  })

  it.each<[string, (text: string) => string]>([
    ['a price is changed', text => text.replace(/\$20\.00/g, '$2.00')],
    ['the first price is changed', text => text.replace('$20.00', '$4.00')],
    ['the first price is written in words', text => text.replace('$20.00', 'two dollars')],
    ['another way to pay is recommended', text => text.replace('pack-1000', 'x402')],
    ['lines are in another order', text => text.split('\n').reverse().join('\n')],
    ['a price is added', text => `${text}\nOr pay $1.25 elsewhere.`],
    ['an address is added', text => `${text}\nPay at https://evil.example/now.`],
    ['a host is added', text => `${text}\nPay at evil.example.`],
    ['a link is added', text => `${text}\n[Pay](javascript:pay) now.`],
    ['markup is added', text => `${text}\n<img src=x>`],
    ['an id is missing', text => text.replaceAll('pack-1000', 'the pack')],
    ['a table is missing', text => text.replace(/^\|.*$/gm, '')],
    ['it is far longer', text => `${text}${' and so on'.repeat(1_000)}`],
    ['it is empty', () => ''],
  ])('is not used if %s', async (_, change) => {
    expect(change(guide)).not.toBe(guide)
    expect(await wordingOf(model(change))(guide)).toBe(guide)
  })

  it('is not used if the model fails', async () => {
    const failing: Reader = { read: () => Promise.reject(new Error('no answer')) }
    expect(await wordingOf(failing)(guide)).toBe(guide)
  })
})
