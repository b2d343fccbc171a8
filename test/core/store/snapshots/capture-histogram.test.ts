import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { open } from '../../../../core/index.ts'
import { Segment } from '../../../../core/segment/segment.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-histogram-'))
})
afterEach(() => rm(dir, { recursive: true }))

it('a histogram takes one step for each bin with captures, however far apart they are', async () => {
  const engine = await open(dir, { searchThreads: 0 })
  await engine.add(
    ['-200000-03-01', '-200000-04-01', '2019-05-05', '2020-05-05'].map((day, i) => ({
      url: `https://example.com/${i}`,
      text: `text ${i}`,
      acquiredAt: Date.parse(day),
    })),
  )
  const totals = vi.spyOn(Segment.prototype, 'totals')
  const { bins } = await engine.captureHistogram({ maxBins: 10 })
  expect(bins.map(({ captures }) => captures)).toEqual([2, 1, 1])
  // One for each bin, and one for the number of captures.
  expect(totals).toHaveBeenCalledTimes(4)
  await engine.close()
})
