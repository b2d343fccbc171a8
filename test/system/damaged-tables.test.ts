import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examine, open, repair } from '../../core/index.ts'
import { urlKey } from '../../core/store/keys.ts'
import { damaged, flip, repairedLike, tables } from '../core/repair/damaged-index.ts'
import { eventsLeft, historyOf, play, spread, tamper } from '../core/repair/written-history.ts'

/** A history of adds only, so that the loss of a record cannot undo a removal. */
const adds = historyOf(8, { sessions: 4, perSession: 80, addsOnly: true, ownWords: 900 })

let root: string
let large: string

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'asof-tables-'))
  large = path.join(root, 'large')
  for (const session of adds) await play(large, session)
  await spread(large)
})

afterAll(() => rm(root, { recursive: true }))

describe('an index of several tables', () => {
  it('restores the lost record of a URL from its captures', async () => {
    const url = adds[0]![0]!.url
    const dir = await damaged(root, large, dir =>
      tamper(dir, async database => {
        await database.del(urlKey(url))
      }),
    )
    const report = await repairedLike(dir, adds.flat())
    expect(report).toMatchObject({ lost: [], historiesPatched: 1, left: report.captures })
  })

  it.each([0, 1, 2])('keeps the contents of the other tables if table %d is lost', async number => {
    const dir = await damaged(root, large, async (_, index) => {
      expect((await tables(index)).length).toBeGreaterThan(number)
      await rm(path.join(index, (await tables(index))[number]!))
    })
    await expect(open(dir)).rejects.toMatchObject({
      code: 'ASOF_STORE_CORRUPT',
      message: expect.stringContaining('asof doctor --repair'),
    })
    const report = await repairedLike(dir, adds.flat())
    expect(report.left).toBe(report.captures)
  })

  it.each([0.03, 0.5, 0.97])('loses little with a flipped byte at %d of each table', async place => {
    const dir = await damaged(root, large, async (_, index) => {
      for (const table of await tables(index)) {
        const file = path.join(index, table)
        await flip(file, Math.floor((await stat(file)).size * place))
      }
    })
    const report = await repairedLike(dir, adds.flat())
    expect(report.damage.length).toBeGreaterThan(0)
    expect(report.left).toBe(report.captures)
    expect(report.captures).toBeGreaterThan(adds.flat().length * 0.8)
  })

  it('keeps what is before the cut if each table loses its last tenth', async () => {
    const dir = await damaged(root, large, async (_, index) => {
      for (const table of await tables(index)) {
        const file = path.join(index, table)
        await writeFile(file, (await readFile(file)).subarray(0, (await stat(file)).size * 0.9))
      }
    })
    await expect(open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
    const report = await repair(dir)
    expect(report.captures).toBeGreaterThan(0)
    // A capture that only a lost record names ends the capture before it, which no replayed history can reproduce.
    const left = (await eventsLeft(dir, adds.flat(), [])).filter(({ kind }) => kind === 'add')
    expect(left).toHaveLength(report.captures)
    expect((await examine(dir)).sound).toBe(true)
  })
})
