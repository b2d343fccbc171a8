import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { open } from '../../../core/index.ts'
import { Stream } from '../../../core/segment/streams.ts'
import { chunkKey } from '../../../core/store/keys.ts'
import { END_AT, historyOf, play, tamper } from '../repair/written-history.ts'

const settings = { now: () => END_AT, mergePolicy: () => [], searchThreads: 0 }
const queries = ['juniper -site:site2.example site:site1.example', 'fern elder birch', 'amber cedar', 'hazel']

it('a search that fails half-way because of damage does not change later answers', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-broken-'))
  try {
    for (const session of historyOf(5, { sessions: 2, perSession: 60 })) await play(dir, session, { merging: true })
    const sound = await open(dir, settings)
    const right = []
    for (const query of queries) right.push((await sound.search(query)).results)
    await sound.close()
    let chunks = 0
    await tamper(dir, async database => {
      for (let segment = 1; segment < 300; segment++) {
        const key = chunkKey(segment, Stream.positions, 0)
        const value = await database.get(key)
        if (!value) continue
        value[0]! ^= 1
        await database.put(key, value)
        chunks++
      }
    })
    expect(chunks).toBeGreaterThan(0)
    const damaged = await open(dir, settings)
    for (const [i, query] of queries.entries()) {
      await expect(damaged.search('"iris hazel"')).rejects.toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
      expect((await damaged.search(query)).results, query).toEqual(right[i])
    }
    await damaged.close()
  } finally {
    await rm(dir, { recursive: true })
  }
})
