import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyFrontiers } from '../../../crawler/crawl/frontier-backup.ts'
import { LevelFrontier } from '../../../crawler/frontier/level-frontier.ts'
import { OpenFrontiers } from '../../../crawler/frontier/open-frontiers.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-frontiers-'))
})
afterEach(() => rm(dir, { recursive: true }))

const urls = (count: number) => Array.from({ length: count }, (_, i) => ({ url: `https://example.com/${i}`, depth: 0 }))

describe('a copy of the frontiers', () => {
  it('holds what each crawl had, whether it is running or not', async () => {
    const [from, to] = [join(dir, 'crawl'), join(dir, 'copy')]
    const over = await LevelFrontier.open(join(from, 'over'))
    await over.beginRun(0)
    await over.enqueue(urls(2500))
    await over.close()
    const frontiers = new OpenFrontiers()
    const running = await frontiers.open(join(from, 'running'))
    await running.beginRun(0)
    await running.enqueue(urls(3))
    await copyFrontiers(from, to, frontiers)
    await running.enqueue(urls(5))
    for (const [name, pending] of [
      ['over', 2500],
      ['running', 3],
    ] as const) {
      const copy = await LevelFrontier.open(join(to, name))
      expect(copy.pending).toBe(pending)
      expect(await copy.beginRun(1)).toEqual({ resumed: true })
      await copy.close()
    }
    expect(running.pending).toBe(5)
    await expect(frontiers.open(join(from, 'running'))).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
    await expect(copyFrontiers(from, join(dir, 'stranger'))).rejects.toMatchObject({ code: 'ASOF_STORE_READ' })
    await frontiers.close(join(from, 'running'))
    await copyFrontiers(from, join(dir, 'later'), frontiers)
  })

  it('makes no folder if there are no frontiers', async () => {
    await copyFrontiers(join(dir, 'nowhere'), join(dir, 'copy'))
    expect(await readdir(dir)).toEqual([])
  })
})
