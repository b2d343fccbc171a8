import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TrecRun } from '../../../service/evaluate/trec-run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'asof-run-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('a run has the six fields of TREC for each document, and strictly decreasing scores', async () => {
  const run = await TrecRun.create(join(folder, 'new'), 'pro')
  await run.add('q1', [
    { id: 'd1', score: 3.5 },
    { id: 'd 2', score: 3.5 },
    { id: 'd3', score: 1 },
    { id: 'd4', score: 0 },
    { id: 'd5', score: 0 },
  ])
  await run.add('q2', [])
  await run.close()
  const rows = readFileSync(run.path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => line.split(' '))
  expect(rows.map(([topic, zero, id, rank, , tag]) => [topic, zero, id, rank, tag])).toEqual(
    ['d1', 'd+2', 'd3', 'd4', 'd5'].map((id, i) => ['q1', 'Q0', id, String(i + 1), 'pro']),
  )
  const scores = rows.map(row => Number(row[4]))
  expect(scores[0]).toBe(3.5)
  expect(scores[2]).toBe(1)
  for (let i = 1; i < scores.length; i++) expect(scores[i]!).toBeLessThan(scores[i - 1]!)
})
