import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { trecParts } from '../../../service/feedback/trec-export.ts'
import type { FeedbackSubmission } from '../../../service/index.ts'
import { all, submissionOf } from './temporary-store.ts'

const a = 'https://a.example/'
const b = 'https://b.example/'

async function exported(...submissions: FeedbackSubmission[]) {
  async function* given() {
    yield* submissions
  }
  const parts = await all(trecParts(given()))
  return { qrels: parts.map(part => part.qrels).join(''), topics: parts.map(part => part.topics).join('') }
}

it('writes TREC qrels, and the query and time of each topic', async () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
  const query = 'when is\nthe "tide"?'
  const topic = createHash('sha256').update(`${query}\n2026-01-02T03:04:05.678Z`).digest('hex')
  const { qrels, topics } = await exported(submissionOf(query, at, { [a]: 5, [b]: 1 }))
  expect(qrels).toBe(`${topic} 0 ${a} 5\n${topic} 0 ${b} 1\n`)
  expect(topics.split('\n')).toHaveLength(2)
  expect(JSON.parse(topics)).toEqual({ topic, query, query_time: '2026-01-02T03:04:05.678Z' })
})

it('leaves out pages that did not load, since they are unjudged and not grade 0', async () => {
  const { qrels, topics } = await exported(submissionOf('x', 1, { [a]: 0, [b]: 2 }), submissionOf('y', 2, { [a]: 0 }))
  expect(qrels.trim().split('\n')).toEqual([expect.stringMatching(/ https:\/\/b\.example\/ 2$/)])
  expect(topics).not.toContain('"y"')
})

it('identifies a document by its URL in the index', async () => {
  const capture = { url: b, acquiredAt: 0 }
  const { qrels } = await exported({ ...submissionOf('x', 1, {}), judgments: [{ url: a, score: 4, capture }] })
  expect(qrels).toContain(` 0 ${b} 4\n`)
})

it('writes no topics line if the query was not stored', async () => {
  const { query: _, ...bare } = submissionOf('x', 1, { [a]: 3 })
  expect(await exported(bare)).toEqual({ qrels: `${bare.topic} 0 ${a} 3\n`, topics: '' })
})
