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

describe('replayFeedback', () => {
  it('searches each query as of the time of its judgment', async () => {
    const data = join(folder, 'data')
    const instant = (day: number) => new Date(Date.UTC(2024, 0, day)).toISOString()
    const [before, given, after] = [instant(1), instant(2), instant(3)]
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
    // The page that was acquired later would rank first.
    for (const system of ['realtime', 'pro']) expect(replay.systems.get(system)).toMatchObject([{ 'success@1': 1 }])
  })
})
