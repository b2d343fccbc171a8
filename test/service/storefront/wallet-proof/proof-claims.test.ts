import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ProofClaims } from '../../../../service/storefront/wallet-proof/index.ts'
import { MAX_CLAIMS } from '../../../../service/storefront/wallet-proof/proof-claims.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-claims-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

it('a proof can be claimed once, also of calls at the same time', async () => {
  const claims = await ProofClaims.open(dir, () => 0)
  expect(await Promise.all([claims.claim('a', 10), claims.claim('a', 10)])).toEqual(['claimed', 'used'])
  expect(await claims.claim('b', 10)).toBe('claimed')
  await claims.close()
})

it('a claimed proof is still used after a restart, until it expires', async () => {
  let claims = await ProofClaims.open(dir, () => 0)
  await claims.claim('a', 10)
  await claims.close()
  claims = await ProofClaims.open(dir, () => 9)
  expect(await claims.claim('a', 10)).toBe('used')
  await claims.close()
  claims = await ProofClaims.open(dir, () => 10)
  expect(await claims.claim('a', 20)).toBe('claimed')
  await claims.close()
})

it('with too many claims further ones are refused until some expire', async () => {
  let now = 0
  const claims = await ProofClaims.open(dir, () => now)
  const made = await Promise.all(Array.from({ length: MAX_CLAIMS }, (_, i) => claims.claim(`p${i}`, i === 0 ? 5 : 10)))
  expect(new Set(made)).toEqual(new Set(['claimed']))
  expect(await claims.claim('more', 10)).toBe('full')
  now = 5
  expect(await claims.claim('more', 10)).toBe('claimed')
  expect(await claims.claim('even more', 10)).toBe('full')
  await claims.close()
})
