import { describe, expect, it } from 'vitest'
import { quoteRequest, quoteResponse } from '../../../store/advisor/quote.ts'

const accepts = (fields: object) => quoteRequest.safeParse({ goal: 'search', ...fields }).success

describe('a quote request', () => {
  it('has exactly the fields of the contract', () => {
    expect(Object.keys(quoteRequest.shape)).toEqual([
      'goal',
      'quantity',
      'budgetUsd',
      'budgetExclusive',
      'reviewAfterCalls',
      'requirements',
      'humanAvailable',
      'payment',
    ])
    expect(accepts({ other: 1 })).toBe(false)
    expect(quoteRequest.safeParse({}).success).toBe(false)
  })

  it('keeps a goal as it was sent and counts code points', () => {
    expect(quoteRequest.parse({ goal: ' search ' }).goal).toBe(' search ')
    expect(accepts({ goal: '' })).toBe(false)
    expect(accepts({ goal: '𝒳'.repeat(2_000) })).toBe(true)
    expect(accepts({ goal: '𝒳'.repeat(2_001) })).toBe(false)
    expect(accepts({ requirements: '𝒳'.repeat(300) })).toBe(true)
    for (const requirements of ['', 'x'.repeat(301)]) expect(accepts({ requirements })).toBe(false)
  })

  it('takes 1 to 1,000,000 calls', () => {
    for (const name of ['quantity', 'reviewAfterCalls']) {
      for (const value of [1, 1_000_000]) expect(accepts({ [name]: value })).toBe(true)
      for (const value of [0, 1_000_001, 1.5, '5', null]) expect(accepts({ [name]: value })).toBe(false)
    }
  })

  it('takes budgets of 1 to 9 digits and 1 to 6 decimals', () => {
    for (const budgetUsd of ['0', '4.5', '999999999.999999']) expect(accepts({ budgetUsd })).toBe(true)
    for (const budgetUsd of ['', '.5', '5.', '1000000000', '1.0000000', '-1', '1e3', '1\n', '١', 4]) {
      expect(accepts({ budgetUsd })).toBe(false)
    }
  })

  it('takes booleans and the payment methods of the contract', () => {
    expect(accepts({ budgetExclusive: true, humanAvailable: false, payment: 'mpp' })).toBe(true)
    for (const field of [{ budgetExclusive: 1 }, { humanAvailable: 'no' }, { payment: 'cash' }]) {
      expect(accepts(field)).toBe(false)
    }
  })
})

describe('a quote response', () => {
  it('has exactly the fields of the contract', () => {
    const response = { status: 'quoted', priceUsd: '0', guide: '# Advice', guideUrl: 'https://search.example/guide' }
    expect(quoteResponse.parse(response)).toEqual(response)
    expect(Object.keys(quoteResponse.shape)).toEqual(Object.keys(response))
    for (const wrong of [{ priceUsd: '1' }, { status: 'other' }, { more: 1 }, { guideUrl: 'guide' }]) {
      expect(quoteResponse.safeParse({ ...response, ...wrong }).success).toBe(false)
    }
  })
})
