import type { LookupAddress } from 'node:dns'
import { expect, it } from 'vitest'
import { cachingResolver } from '../../../crawler/fetch/address-cache.ts'

const home: LookupAddress[] = [{ address: '192.0.2.1', family: 4 }]

it('resolves a name once a minute, and once for callers that ask at the same time', async () => {
  let asked = 0
  let nowMs = 0
  const resolve = cachingResolver(
    async () => {
      asked++
      return home
    },
    { monotonicMs: () => nowMs },
  )
  await Promise.all([resolve('a.org'), resolve('a.org')])
  nowMs = 59_999
  expect(await resolve('a.org')).toBe(home)
  expect(asked).toBe(1)
  nowMs = 60_000
  await resolve('a.org')
  await resolve('b.org')
  expect(asked).toBe(3)
})
it('keeps a failure for a shorter time', async () => {
  let asked = 0
  let nowMs = 0
  const resolve = cachingResolver(
    async () => {
      asked++
      throw new Error('no such name')
    },
    { monotonicMs: () => nowMs },
  )
  const fails = () => expect(resolve('a.org')).rejects.toThrow('no such name')
  await fails()
  nowMs = 9999
  await fails()
  expect(asked).toBe(1)
  nowMs = 10_000
  await fails()
  expect(asked).toBe(2)
})
it('fails with ETIMEDOUT if the resolver does not answer', async () => {
  const resolve = cachingResolver(() => new Promise(() => {}), { timeoutMs: 1 })
  await expect(resolve('a.org')).rejects.toMatchObject({ code: 'ETIMEDOUT' })
})
