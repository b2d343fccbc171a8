import { expect, it } from 'vitest'
import { freeHours, isFree } from '../../../store/advisor/free-use.ts'
import { recognizeNeeds } from '../../../store/advisor/needs.ts'
import type { QuoteRequest } from '../../../store/advisor/quote.ts'
import { limits } from './limits.ts'

function free(calls: bigint, seconds: bigint | undefined, more: Partial<QuoteRequest> = {}): boolean {
  const request: QuoteRequest = { goal: 'search', ...more }
  const perSecond = seconds === undefined ? undefined : Number(calls) / Number(seconds)
  return isFree(request, recognizeNeeds(request.goal), { calls, seconds, perSecond, basis: '' }, limits.keyless)
}

it('covers the calls of one hour', () => {
  expect([free(1_000n, undefined), free(1_001n, undefined)]).toEqual([true, false])
})

it('covers at most 10 calls a second', () => {
  expect([free(600n, 60n), free(601n, 60n)]).toEqual([true, false])
})

it('covers more hours for requests that spend nothing, within their period', () => {
  for (const nothing of [{ budgetUsd: '0' }, { budgetUsd: '0.000000' }, { goal: 'search at no cost' }]) {
    expect(free(7_000n, undefined, nothing)).toBe(true)
    expect([free(7_000n, 25_200n, nothing), free(7_000n, 25_199n, nothing)]).toEqual([true, false])
  }
})

it('covers no request that names a payment method or a mode of keys', () => {
  expect(free(1n, undefined, { payment: 'x402' })).toBe(false)
  expect(free(1n, undefined, { goal: 'search in webql' })).toBe(false)
})

it('counts started hours', () => {
  expect([1n, 1_000n, 1_001n].map(calls => freeHours(calls, limits.keyless))).toEqual([1n, 1n, 2n])
})
