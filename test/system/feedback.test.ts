import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { open } from '../../core/index.ts'
import { FeedbackFolder } from '../../service/data-folder/feedback-folder.ts'
import { FeedbackStore } from '../../service/feedback/feedback-store.ts'
import { JournalRecords } from '../../service/records/journal-records.ts'
import { all, submissionOf } from '../service/feedback/temporary-store.ts'
import { RunningCommand, run, temporaryFolder } from './running-command.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

describe('acknowledged feedback', () => {
  it('survives kill -9, with its pages to fetch again', async () => {
    const dir = path.join(folder.dir, 'journal')
    let next = 0
    for (let round = 0; round < 5; round++) {
      const writer = spawn(process.execPath, [path.join(import.meta.dirname, 'feedback-writer.ts'), dir, String(next)])
      const closed = once(writer, 'close')
      let acknowledged = next - 1
      for await (const line of createInterface(writer.stdout)) {
        if (line === 'ready') continue
        acknowledged = Number(line)
        if (acknowledged === next + 20 + round * 7) writer.kill('SIGKILL')
      }
      await closed
      const store = await FeedbackStore.open(await JournalRecords.open(dir))
      const found = await all(store.current())
      // One more may have been written but not acknowledged yet.
      const count = found.length
      expect([acknowledged + 1, acknowledged + 2]).toContain(count)
      expect(found.map(({ at }) => at)).toEqual(Array.from({ length: count }, (_, at) => at))
      expect((await store.refetches(10_000)).length).toBe(count)
      const shared = found.filter(({ judgments }) => judgments.some(({ url }) => url === 'https://all.example/'))
      expect(shared.map(({ at }) => at)).toEqual(found.slice(-7).map(({ at }) => at))
      await store.close()
      next = count
    }
  })
})

describe('asof feedback export', () => {
  let data: string
  beforeEach(async () => {
    data = path.join(folder.dir, 'data')
    const engine = await open(data)
    const options = { dir: data, engine, refetch: false, allowPrivate: false, now: Date.now, onNotice: () => {} }
    const feedback = new FeedbackFolder(options)
    await feedback.record(submissionOf('tides', 1, { 'https://a.example/': 4 }), [])
    await feedback.record(submissionOf('ships', 2, { 'https://a.example/': 0, 'https://b.example/': 2 }), [])
    await feedback.close()
    await engine.close()
  })

  const [tides, ships] = [submissionOf('tides', 1, {}).topic, submissionOf('ships', 2, {}).topic]
  const qrels = `${tides} 0 https://a.example/ 4\n${ships} 0 https://b.example/ 2\n`

  it('writes qrels to standard output, or to a file with a second file for the topics', async () => {
    expect(await run(['feedback', 'export', '--data', data])).toEqual({ code: 0, stdout: qrels, stderr: '' })
    const out = path.join(folder.dir, 'judged.qrels')
    await writeFile(out, 'old')
    const { code, stdout } = await run(['feedback', 'export', '--data', data, '--out', out, '--json'])
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { topics: 2, judgments: 2, qrels: out, topics_file: `${out}.topics.jsonl` },
    ])
    expect(await readFile(out, 'utf8')).toBe(qrels)
    const topics = (await readFile(`${out}.topics.jsonl`, 'utf8')).trim().split('\n')
    expect(topics.map(line => JSON.parse(line))).toEqual([
      { topic: tides, query: 'tides', query_time: '1970-01-01T00:00:00.001Z' },
      { topic: ships, query: 'ships', query_time: '1970-01-01T00:00:00.002Z' },
    ])
  })

  it('works while a server holds the data folder', async () => {
    const server = new RunningCommand(['serve', '--port', '0', '--data', data])
    try {
      await server.shows('stdout', /^listening on (\S+)\n/)
      expect(await run(['feedback', 'export', '--data', data])).toEqual({ code: 0, stdout: qrels, stderr: '' })
    } finally {
      server.signal('SIGTERM')
      expect((await server.finished).code).toBe(0)
    }
  })

  it('is in a backup', async () => {
    const copy = path.join(folder.dir, 'copy')
    expect((await run(['backup', copy, '--data', data])).code).toBe(0)
    expect((await run(['feedback', 'export', '--data', copy])).stdout).toBe(qrels)
  })

  it.each([
    [['feedback', 'import']],
    [['feedback']],
    [['feedback', 'export', '--json']],
    [['feedback', 'export', '--out', '/nowhere/at/all']],
  ])('refuses %j as bad usage', async args => {
    expect((await run([...args, '--data', data])).code).toBe(2)
  })
})
