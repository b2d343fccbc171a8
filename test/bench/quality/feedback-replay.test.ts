import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { replayFeedback } from '../../../bench/quality/feedback-replay.ts'
import { open } from '../../../core/index.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'asof-replay-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('feedback that is replayed', () => {
  it('is measured as of the moment at which it was given', async () => {
    const data = join(folder, 'data')
    const [before, given, after] = [1, 2, 3].map(day => new Date(Date.UTC(2024, 0, day)).toISOString())
    const engine = await open(data)
    await engine.add([
      { url: 'https://a.example/old', title: 'Ferry', text: 'a river and a ferry', acquiredAt: before },
      { url: 'https://a.example/new', title: 'River ferry', text: 'river ferry', acquiredAt: after },
    ])
    await engine.close()
    const qrels = join(folder, 'qrels')
    await writeFile(qrels, 't1 0 https://a.example/old 5\nt2 0 https://a.example/old 1\n')
    await writeFile(
      `${qrels}.topics.jsonl`,
      `${JSON.stringify({ topic: 't1', query: 'river ferry', query_time: given })}\n`,
    )
    const replay = await replayFeedback(qrels, data)
    expect(replay).toMatchObject({ queries: 1, leftOut: 1 })
    // What was acquired later would have stood before it.
    for (const system of ['realtime', 'pro']) expect(replay.systems.get(system)).toMatchObject([{ 'success@1': 1 }])
  })
})
