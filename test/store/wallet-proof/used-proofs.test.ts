import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { UsedProofs } from '../../../store/wallet-proof/index.ts'
import { MAX_USED_PROOFS } from '../../../store/wallet-proof/used-proofs.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-proofs-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

it('a proof can be used once, also by calls at the same time', async () => {
  const proofs = await UsedProofs.open(await JournalRecords.open(dir), () => 0)
  expect(await Promise.all([proofs.use('a', 10), proofs.use('a', 10)])).toEqual(['first', 'repeated'])
  expect(await proofs.use('b', 10)).toBe('first')
  await proofs.close()
})

it('a used proof stays used after a restart, until it expires', async () => {
  let proofs = await UsedProofs.open(await JournalRecords.open(dir), () => 0)
  await proofs.use('a', 10)
  await proofs.close()
  proofs = await UsedProofs.open(await JournalRecords.open(dir), () => 9)
  expect(await proofs.use('a', 10)).toBe('repeated')
  await proofs.close()
  proofs = await UsedProofs.open(await JournalRecords.open(dir), () => 10)
  expect(await proofs.use('a', 20)).toBe('first')
  await proofs.close()
})

it('with too many used proofs further ones are refused until some expire', async () => {
  let now = 0
  const proofs = await UsedProofs.open(await JournalRecords.open(dir), () => now)
  const made = await Promise.all(
    Array.from({ length: MAX_USED_PROOFS }, (_, i) => proofs.use(`p${i}`, i === 0 ? 5 : 10)),
  )
  expect(new Set(made)).toEqual(new Set(['first']))
  expect(await proofs.use('more', 10)).toBe('full')
  now = 5
  expect(await proofs.use('more', 10)).toBe('first')
  expect(await proofs.use('even more', 10)).toBe('full')
  await proofs.close()
})
