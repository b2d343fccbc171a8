import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, examine, open } from '../../../core/index.ts'
import { statesIn } from '../../file-states.ts'
import { flip, tables } from './damaged-index.ts'

const page = { url: 'https://pages.example/', text: 'A lamp of brass.' }
let dir: string

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-examined-'))
})
afterEach(async () => {
  await rm(dir, { recursive: true, force: true })
})

async function filled(): Promise<Engine> {
  const engine = await open(dir, { searchThreads: 0 })
  await engine.add([page])
  await engine.add([{ ...page, text: 'A lamp of steel.' }])
  return engine
}

describe('an examination', () => {
  it('writes nothing into the data folder, and leaves no folder for temporary files', async () => {
    await (await filled()).close()
    // A second opening makes tables; the log then has the last commit.
    const engine = await open(dir, { searchThreads: 0 })
    await engine.add([{ url: 'https://pages.example/2', text: 'A second lamp.' }])
    await engine.close()
    expect((await readdir(path.join(dir, 'index'))).some(name => name.endsWith('.ldb'))).toBe(true)
    const before = await statesIn(dir)
    for (let time = 0; time < 2; time++) {
      expect(await examine(dir)).toMatchObject({ sound: true, problems: [], captures: 3, urls: 2 })
      expect(await statesIn(dir)).toEqual(before)
    }
    const again = await open(dir, { searchThreads: 0 })
    expect((await again.search('lamp')).results).toHaveLength(2)
    await again.close()
  })

  it('names the folder of the index, and writes nothing there, if it is damaged', async () => {
    await (await filled()).close()
    await (await open(dir)).close()
    const index = path.join(dir, 'index')
    await flip(path.join(index, (await tables(index))[0]!), 20)
    const before = await statesIn(dir)
    const found = await examine(dir)
    expect(found.sound).toBe(false)
    expect(JSON.stringify(found)).not.toContain('asof-view')
    expect(await statesIn(dir)).toEqual(before)
  })

  it('is refused while this process has the index open, which goes on', async () => {
    const engine = await filled()
    for (let time = 0; time < 2; time++)
      await expect(examine(dir)).rejects.toMatchObject({
        code: 'ASOF_STORE_LOCKED',
        message: expect.stringContaining(path.join(dir, 'index')),
      })
    await engine.add([{ url: 'https://pages.example/3', text: 'A third lamp.' }])
    await engine.close()
    expect(await examine(dir)).toMatchObject({ sound: true, urls: 2 })
  })
})
