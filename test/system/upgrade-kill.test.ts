import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { casesOf } from '../cases.ts'
import { run, tell, upgradeUntil } from '../core/upgrade/two-analyzers-process.ts'
import { seed } from '../histories.ts'
import { randomNumbers } from './kill-nine-script.ts'

/** Number of kills at random moments. The published proof is a run with 100. */
const KILLS = casesOf(12)
/** A random kill comes at most this long after the process starts: about as long as a whole upgrade takes. */
const MAX_LIFE_MS = 900

/** Returns the names of the failpoints of an upgrade. */
async function upgradeSteps(): Promise<string[]> {
  const folder = path.join(import.meta.dirname, '../../core/upgrade')
  const sources = await Promise.all((await readdir(folder)).map(name => readFile(path.join(folder, name), 'utf8')))
  return sources.flatMap(source => Array.from(source.matchAll(/failpoint\('([^']+)'\)/g), ([, step]) => step!)).sort()
}

describe(`an upgrade that is killed (seed ${seed})`, () => {
  it('at every step and at random moments loses nothing, and ends with the same answers', async () => {
    const random = randomNumbers(seed)
    const dir = await mkdtemp(path.join(tmpdir(), 'asof-upgrade-kill-'))
    try {
      const [made, whole, index] = ['made', 'whole', 'index'].map(name => path.join(dir, name)) as [
        string,
        string,
        string,
      ]
      await run('make', made, '1')
      await cp(made, whole, { recursive: true })
      await run('upgrade', whole, '2')
      const [first, second] = [await tell(made), await tell(whole)]
      await cp(made, index, { recursive: true })
      let target = 2
      const finish = async () => {
        const wanted = target === 2 ? second : first
        expect(await tell(index)).toEqual({ ...wanted, terms: expect.any(Number) })
        target = target === 2 ? 1 : 2
      }
      const steps = await upgradeSteps()
      expect(steps.length).toBeGreaterThan(3)
      for (const step of steps) {
        expect(await upgradeUntil(index, target, { step, pass: 1 })).toBe(false)
        await run('upgrade', index, String(target))
        await finish()
      }
      for (let kills = 0; kills < KILLS; ) {
        if (await upgradeUntil(index, target, { afterMs: Math.floor(random() * MAX_LIFE_MS) })) await finish()
        else kills++
      }
      await run('upgrade', index, String(target))
      await finish()
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }, 3_600_000)

  it('within a segment continues there, with the same analyzer or another one', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'asof-upgrade-kill-'))
    const [made, whole, index] = ['made', 'whole', 'index'].map(name => path.join(dir, name)) as [
      string,
      string,
      string,
    ]
    try {
      await run('make-large', made, '1')
      await cp(made, whole, { recursive: true })
      await run('upgrade', whole, '2')
      for (const [target, same] of [
        ['1', made],
        ['2', whole],
      ] as const) {
        await cp(made, index, { recursive: true })
        expect(await upgradeUntil(index, 2, { step: 'upgrade-2-moved', pass: 1 })).toBe(false)
        await run('upgrade', index, target)
        expect(await tell(index)).toEqual({ ...(await tell(same)), terms: expect.any(Number) })
        await rm(index, { recursive: true })
      }
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }, 600_000)
})
