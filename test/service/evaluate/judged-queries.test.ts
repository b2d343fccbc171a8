import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readJudgedQueries, readQrels } from '../../../service/evaluate/judged-queries.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'asof-judged-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const grades = (entries: Record<string, Record<string, number>>) =>
  new Map(Object.entries(entries).map(([query, ofQuery]) => [query, new Map(Object.entries(ofQuery))]))

describe('relevance judgments', () => {
  it('are read in the form of BEIR, with or without a head', async () => {
    const expected = grades({ q1: { 'd 1': 2, d2: 0 }, q2: { d1: 1 } })
    const body = 'q1\td 1\t2\nq1\td2\t0\nq2\td1\t1\n'
    expect(await readQrels(file('a.tsv', `query-id\tcorpus-id\tscore\n${body}`))).toEqual(expected)
    expect(await readQrels(file('b.tsv', body))).toEqual(expected)
  })

  it('are read in the form of TREC, separated by any white space', async () => {
    expect(await readQrels(file('qrels', '1 0 d1 3\r\n1\t0\td2\t0\n'))).toEqual(grades({ 1: { d1: 3, d2: 0 } }))
  })

  it('count the last of several judgments of one pair', async () => {
    expect(await readQrels(file('qrels', '1 0 d1 3\n1 0 d1 1\n'))).toEqual(grades({ 1: { d1: 1 } }))
  })

  it('are rejected with the number of a malformed line', async () => {
    await expect(readQrels(file('qrels', '1 0 d1 3\n1 0\n'))).rejects.toThrow(
      /line 2: expected query, document and score/,
    )
  })

  it('are rejected if the file is missing or a broken archive', async () => {
    await expect(readQrels(join(folder, 'none'))).rejects.toThrow(/none does not exist/)
    const packed = gzipSync('1 0 d1 3\n')
    await expect(readQrels(file('cut.gz', packed.subarray(0, packed.length - 6)))).rejects.toThrow(/cannot be read/)
  })
})

describe('judged queries', () => {
  it('are read in the form of BEIR and of exported feedback, each with its own instant', async () => {
    const qrels = file('qrels', 'q1 0 d1 1\nt1 0 d2 2\n')
    const lines = [
      { _id: 'q1', text: 'one', query_time: '2024-01-02' },
      { topic: 't1', query: 'two', query_time: '2024-01-03T00:00:00.000Z' },
    ]
    const queries = file('queries.jsonl', lines.map(line => JSON.stringify(line)).join('\n'))
    expect((await readJudgedQueries(queries, qrels)).queries).toEqual([
      { id: 'q1', text: 'one', queryTime: '2024-01-02', grades: new Map([['d1', 1]]) },
      { id: 't1', text: 'two', queryTime: '2024-01-03T00:00:00.000Z', grades: new Map([['d2', 2]]) },
    ])
  })

  it('leave out queries without a relevant document and topics without a query, and count both', async () => {
    const qrels = file('qrels', 'q1 0 d1 1\nq2 0 d1 0\nq4 0 d1 1\n')
    const queries = file('queries.jsonl', ['q1', 'q2', 'q3'].map(_id => JSON.stringify({ _id, text: 'a' })).join('\n'))
    const { queries: judged, leftOut } = await readJudgedQueries(queries, qrels)
    expect(judged.map(({ id }) => id)).toEqual(['q1'])
    expect(leftOut).toBe(3)
  })

  it('are rejected with the number of a malformed line', async () => {
    const qrels = file('qrels', 'q1 0 d1 1\n')
    await expect(readJudgedQueries(file('a.jsonl', '{"_id":"q1","text":"a"}\n{'), qrels)).rejects.toThrow(
      /line 2: not valid JSON/,
    )
    await expect(readJudgedQueries(file('b.jsonl', '[]'), qrels)).rejects.toThrow(/line 1: expected a JSON object/)
    await expect(readJudgedQueries(file('c.jsonl', '{"_id":"q1"}'), qrels)).rejects.toThrow(/line 1: expected "_id"/)
  })
})
