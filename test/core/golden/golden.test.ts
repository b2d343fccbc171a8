import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { blockHash, goldenFile, goldenFolder, goldenScale, openWorld } from './answers.ts'

/** Of this many blocks one is checked here. `.ci/golden` checks all of them, on several releases of Node. */
const EVERY = 10

it('the frozen index gives its golden answers, bit for bit (a better rule needs a new number: docs/time-travel.md#releases)', async () => {
  const { blocks } = JSON.parse(await readFile(goldenFile, 'utf8')) as { blocks: string[] }
  const dir = await mkdtemp(join(tmpdir(), 'asof-golden-'))
  try {
    await cp(goldenFolder, dir, { recursive: true })
    const engine = await openWorld(dir, goldenScale)
    for (let block = 0; block < blocks.length; block += EVERY)
      expect([block, await blockHash(engine, block, goldenScale)]).toEqual([block, blocks[block]])
    const { captures } = await engine.stats()
    expect(captures).toBeGreaterThanOrEqual(2_000)
    await engine.close()
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
