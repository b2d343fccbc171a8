import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decodeQueueKey, encodeQueueKey, type QueuedRecord } from '../../../crawler/frontier/frontier-record.ts'
import { LevelFrontier } from '../../../crawler/frontier/level-frontier.ts'
import { frontierContract } from './frontier-contract.ts'

frontierContract('the frontier in LevelDB', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'asof-frontier-'))
  return { open: () => LevelFrontier.open(folder), remove: () => rm(folder, { recursive: true }) }
})

describe('queue keys', () => {
  const position = fc.record({
    host: fc.domain(),
    dueAt: fc.nat({ max: 2 ** 47 }),
    priority: fc.nat({ max: 9 }),
    depth: fc.nat({ max: 0xffff }),
    sequence: fc.nat({ max: 2 ** 47 }),
  })
  it('decode to the position that they encode', () => {
    fc.assert(
      fc.property(position, at => {
        expect(decodeQueueKey(encodeQueueKey(at))).toEqual(at)
      }),
    )
  })
  it('sort by due time, then priority, then depth, then arrival', () => {
    const order = (at: { dueAt: number; priority: number; depth: number; sequence: number }) => [
      at.dueAt,
      at.priority,
      at.depth,
      at.sequence,
    ]
    fc.assert(
      fc.property(position, position, (a, b) => {
        const other = { ...b, host: a.host }
        const [x, y] = [order(a), order(other)]
        const at = x.findIndex((value, i) => value !== y[i])
        const expected = at < 0 ? 0 : Math.sign(x[at]! - y[at]!)
        const [p, q] = [encodeQueueKey(a), encodeQueueKey(other)]
        expect(p < q ? -1 : p > q ? 1 : 0).toBe(expected)
      }),
    )
  })
  it('have the layout of format 1', () => {
    const key = encodeQueueKey({ host: 'a.org:8080', dueAt: 1_700_000_000_000, priority: 5, depth: 3, sequence: 255 })
    expect(key).toBe(`qa.org:8080\0${'018bcfe56800'}${'5'}${'0003'}${'0000000000ff'}`)
  })
})

describe('the database of a frontier', () => {
  let dir: string
  let frontier: LevelFrontier
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'asof-frontier-'))
    frontier = await LevelFrontier.open(dir)
    await frontier.beginRun(1)
  })
  afterEach(async () => {
    await frontier.close()
    await rm(dir, { recursive: true })
  })

  it('lets the next process continue to put known URLs back when one was killed while it did', async () => {
    const urls = Array.from({ length: 2500 }, (_, i) => ({ url: `https://a.org/${i}`, depth: 0 }))
    await frontier.enqueue(urls)
    await frontier.finish(
      urls.map(({ url }) => ({ url, patch: { state: 'done' as const } })),
      0,
    )
    expect(frontier.pending).toBe(0)
    await frontier.finishRun()
    expect((await frontier.beginRun(3)).resumed).toBe(false)
    expect(frontier.pending).toBe(2500)
    await frontier.close()
    // The state that a process leaves when it is killed after the first batch of requeueing.
    const db = new ClassicLevel<string, unknown>(dir, { valueEncoding: 'json' })
    const done: QueuedRecord = { state: 'done', depth: 0, priority: 5, run: 1, attempts: 0 }
    const first = (await db.get('phttps://a.org/999')) as QueuedRecord
    await db.batch([
      { type: 'del', key: first.queueKey! },
      { type: 'put', key: 'phttps://a.org/999', value: done },
      { type: 'put', key: '!counts', value: { pending: 2499, done: 1, failed: 0, skipped: 0 } },
      {
        type: 'put',
        key: '!run',
        value: { run: 2, state: 'requeueing', startedAt: 3, fetched: 0, cursor: 'https://a.org/998' },
      },
    ])
    await db.close()
    frontier = await LevelFrontier.open(dir)
    expect((await frontier.beginRun(4)).resumed).toBe(true)
    expect(frontier.pending).toBe(2500)
    expect(await frontier.get('https://a.org/999')).toMatchObject({ state: 'pending' })
  })
  it('cannot be opened twice at a time, nor if it has another format', async () => {
    await expect(LevelFrontier.open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
    await frontier.close()
    const db = new ClassicLevel<string, unknown>(dir, { valueEncoding: 'json' })
    await db.put('!format', 99)
    await db.close()
    await expect(LevelFrontier.open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_FORMAT' })
    const again = new ClassicLevel<string, unknown>(dir, { valueEncoding: 'json' })
    await again.put('!format', 3)
    await again.close()
    frontier = await LevelFrontier.open(dir)
  })
})
