import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readTrecRun, TrecRun } from '../../../service/evaluate/trec-run.ts'

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

it('a run that was written is read in its order', async () => {
  const run = await TrecRun.create(folder, 'pro')
  const ids = Array.from({ length: 100 }, (_, i) => `d ${i}`)
  await run.add(
    'q1',
    ids.map(id => ({ id, score: 1 })),
  )
  await run.close()
  expect(await readTrecRun(run.path)).toEqual(new Map([['q1', ids.map(id => id.replace(' ', '+'))]]))
})

it('the documents of a run are ordered by their scores, whatever the ranks say', async () => {
  const path = join(folder, 'other.run')
  writeFileSync(path, 'q2 Q0 x 1 1 t\nq1\tQ0\ta\t1\t-2.5\tt\nq1 Q0 b 2 1e1 t\n\n q1 0 c 3 -2.5 t \n')
  const read = await readTrecRun(path)
  expect(Object.fromEntries(read)).toEqual({ q2: ['x'], q1: ['b', 'a', 'c'] })
})

it.each(['q1 Q0 a 1 2.5', 'q1 Q0 a 1 high t', 'q1 Q0 a 1 2.5 t u'])(
  'a run with the line %j is rejected',
  async line => {
    const path = join(folder, 'bad.run')
    writeFileSync(path, `q1 Q0 z 1 9 t\n${line}\n`)
    await expect(readTrecRun(path)).rejects.toThrow(
      /bad\.run, line 2: expected topic, Q0, document, rank, score and tag/,
    )
  },
)
