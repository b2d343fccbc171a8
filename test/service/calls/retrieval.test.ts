import { describe, expect, it } from 'vitest'
import { retrievalAnswer, retrievalRequest, retrievalSearches } from '../../../service/calls/retrieval.ts'

const AT = '2025-03-01'
const read = (given: object) => retrievalRequest.parse({ queries: ['a'], ...given })
const queriesOf = (...queries: string[]) => retrievalSearches(read({ queries }), AT).map(search => search?.query)

describe('the searches of a batch', () => {
  it('have the number of documents, the ranking and the instant of the batch', () => {
    const [search] = retrievalSearches(read({ topk: 7, mode: 'realtime', novelty: 1 }), AT)
    expect(search).toMatchObject({ query: 'a', max_results: 7, mode: 'realtime', query_time: AT })
    expect(retrievalSearches(read({ topk: null }), AT)[0]).toMatchObject({ max_results: 3, mode: 'pro' })
  })

  it('are for plain words: quotation marks, minus signs and sites are not conditions', () => {
    expect(queriesOf('"red barn" -blue site:a.example')).toEqual([' red barn  blue site a.example'])
  })

  it('are left out for queries without a word', () => {
    expect(queriesOf('', '  ', '"?"', '--', 'x')).toEqual([undefined, undefined, undefined, undefined, 'x'])
  })

  it('are cut to the length of a query', () => {
    expect(queriesOf('ab '.repeat(2_000))[0]).toHaveLength(2_048)
  })

  it.each([
    { queries: Array.from({ length: 513 }, () => 'a') },
    { queries: 'a' },
    { queries: [1] },
    { topk: 0 },
    { topk: 51 },
    { mode: 'webql' },
    { return_scores: 'yes' },
  ])('are not made for %j', given => {
    expect(retrievalRequest.safeParse({ queries: ['a'], ...given }).success).toBe(false)
  })
})

describe('the documents of a batch', () => {
  const results = [
    {
      title: 'Barns',
      url: 'https://a.example/',
      description: '' as const,
      snippet: 'A **red** **barn**.',
      snippet_highlights: [
        [4, 7],
        [12, 16],
      ],
      score: 2.5,
    },
    { title: 'Empty', url: 'https://b.example/', description: '' as const },
  ]
  const answers = [{ query: 'red barn', mode: 'pro' as const, results }, undefined]

  it('have the title in the first line, and then the passage without marks', () => {
    expect(retrievalAnswer(answers, read({})).result).toEqual([
      [
        { id: 'https://a.example/', contents: 'Barns\nA red barn.' },
        { id: 'https://b.example/', contents: 'Empty\n' },
      ],
      [],
    ])
  })

  it('have scores if the batch asks for them', () => {
    expect(retrievalAnswer(answers, read({ return_scores: true })).result).toEqual([
      [
        { document: { id: 'https://a.example/', contents: 'Barns\nA red barn.' }, score: 2.5 },
        { document: { id: 'https://b.example/', contents: 'Empty\n' }, score: 1 },
      ],
      [],
    ])
  })
})
