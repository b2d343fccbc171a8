import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { open, upgrade } from '../../../core/index.ts'
import { run, type Told, tell, upgradeUntil } from './two-analyzers-process.ts'

let root: string
/** Indexes of one history, made with the first analyzer and with the second, and their answers. */
let first: string
let before: Told
let wanted: Told
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'asof-upgrade-'))
  first = join(root, 'first')
  const second = join(root, 'second')
  await Promise.all([run('make', first, '1'), run('make', second, '2')])
  ;[before, wanted] = await Promise.all([tell(first), tell(second)])
})
afterAll(() => rm(root, { recursive: true, force: true }))

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(root, 'index-'))
})

describe('upgrade', () => {
  it('gives an index the answers of one that had the analyzer from the beginning, and loses nothing', async () => {
    expect(before.answers).not.toBe(wanted.answers)
    expect([before.receipts, wanted.receipts]).toEqual([['1.1.1'], ['1.2.1']])
    await cp(first, dir, { recursive: true })
    const report = JSON.parse(await run('upgrade', dir, '2')) as object
    expect(report).toEqual({ format: 1, analyzer: 2, ranking: 1, captures: before.captures })
    const after = await tell(dir)
    expect(after).toEqual({ ...wanted, terms: after.terms })
    expect(after.history).toBe(before.history)
    await run('upgrade', dir, '1')
    expect(await tell(dir)).toEqual({ ...before, terms: expect.any(Number) })
  })

  it('that was interrupted must be continued before the index opens again', async () => {
    await cp(first, dir, { recursive: true })
    expect(await upgradeUntil(dir, 2, { step: 'upgrade-2-moved', pass: 2 })).toBe(false)
    await expect(run('tell', dir)).rejects.toThrow('ASOF_UPGRADE_UNFINISHED')
    expect(JSON.parse(await run('upgrade', dir, '2'))).toMatchObject({ analyzer: 2 })
    expect(await tell(dir)).toMatchObject({ ...wanted, terms: expect.any(Number) })
  })

  it('of an index that has the newest analyzer does nothing', async () => {
    const engine = await open(dir)
    await engine.add([{ url: 'https://a.example/', text: 'ships' }])
    await engine.close()
    expect(await upgrade(dir)).toEqual({ format: 1, analyzer: 1, ranking: 1, captures: 0 })
  })

  it('rejects an analyzer that this release does not have, a folder without an index, and one in use', async () => {
    await expect(upgrade(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_MISSING' })
    const engine = await open(dir)
    await expect(upgrade(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
    await engine.close()
    for (const analyzer of [0, 7, 1.5])
      await expect(upgrade(dir, { analyzer })).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        details: { field: 'analyzer' },
      })
  })
})
