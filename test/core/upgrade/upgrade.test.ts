import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { open, upgrade } from '../../../core/index.ts'
import { run, tell, upgradeUntil } from './two-analyzers-process.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-upgrade-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

describe('upgrade', () => {
  it('gives an index the answers of one that had the analyzer from the beginning, and loses nothing', async () => {
    const [first, second] = [join(dir, 'first'), join(dir, 'second')]
    await Promise.all([run('make', first, '1'), run('make', second, '2')])
    const [before, wanted] = await Promise.all([tell(first), tell(second)])
    expect(before.answers).not.toBe(wanted.answers)
    expect([before.receipts, wanted.receipts]).toEqual([['1.1.1'], ['1.2.1']])
    const report = JSON.parse(await run('upgrade', first, '2')) as object
    expect(report).toEqual({ format: 1, analyzer: 2, ranking: 1, captures: before.captures })
    const after = await tell(first)
    expect(after).toEqual({ ...wanted, terms: after.terms })
    expect(after.history).toBe(before.history)
    await run('upgrade', first, '1')
    expect(await tell(first)).toEqual({ ...before, terms: expect.any(Number) })
  })

  it('that was interrupted must be continued before the index opens again', async () => {
    await run('make', dir, '1')
    await cp(dir, `${dir}-whole`, { recursive: true })
    expect(await upgradeUntil(dir, 2, { step: 'upgrade-2-moved', pass: 2 })).toBe(false)
    await expect(run('tell', dir)).rejects.toThrow('ASOF_UPGRADE_UNFINISHED')
    expect(JSON.parse(await run('upgrade', dir, '2'))).toMatchObject({ analyzer: 2 })
    await run('upgrade', `${dir}-whole`, '2')
    expect(await tell(dir)).toMatchObject({ ...(await tell(`${dir}-whole`)), terms: expect.any(Number) })
    await rm(`${dir}-whole`, { recursive: true })
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
        ...{ code: 'ASOF_INVALID_OPTION', details: { field: 'analyzer' } },
      })
  })
})
