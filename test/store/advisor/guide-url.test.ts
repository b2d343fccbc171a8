import { expect, it } from 'vitest'
import { guideUrl } from '../../../store/advisor/guide-url.ts'
import { hostileTexts } from './hostile-texts.ts'

it('encodes the goal', () => {
  const url = 'https://search.example/storefront/agent/guide?goal=500%20searches%20%26%20more%23'
  expect(guideUrl('https://search.example', '500 searches & more#')).toBe(url)
})

it('returns an address from which every goal can be read', () => {
  for (const goal of hostileTexts(50)) {
    const url = new URL(guideUrl('https://search.example/base', goal))
    expect(url.pathname).toBe('/base/storefront/agent/guide')
    expect([...url.searchParams]).toEqual([['goal', goal.toWellFormed()]])
  }
})
