import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isCollection, readCollection } from '../../../bench/quality/judged-collection.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'asof-judged-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const lines = (...items: unknown[]) => items.map(item => `${JSON.stringify(item)}\n`).join('')

describe('readCollection', () => {
  it('reads the BEIR layout, gzipped or not, and skips queries without a relevant document', async () => {
    expect(isCollection(folder)).toBe(false)
    const url = 'https://a.example/1'
    const corpus = lines(
      { _id: 'd1', title: 'T', text: 'one', url, published_at: '2020-02-03' },
      { _id: 'd2', text: 'two', url },
    )
    writeFileSync(join(folder, 'corpus.jsonl.gz'), gzipSync(corpus))
    writeFileSync(join(folder, 'queries.jsonl'), lines({ _id: 'q1', text: 'one?' }, { _id: 'q2', text: 'none' }))
    writeFileSync(join(folder, 'qrels.tsv'), 'query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t0\n')
    expect(isCollection(folder)).toBe(true)
    const { ids, pages, queries } = await readCollection(folder)
    expect(ids).toEqual(['d1', 'd2'])
    expect(pages[0]).toMatchObject({ number: 0, url, title: 'T', publishedAt: Date.UTC(2020, 1, 3) })
    expect(pages[1]).toMatchObject({ number: 1, title: '', url: 'https://documents.example/1' })
    expect(queries).toEqual([
      {
        id: 'q1',
        text: 'one?',
        grades: new Map([
          ['d1', 2],
          ['d2', 0],
        ]),
      },
    ])
  })
})
