import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../../service/index.ts'
import type { Asking } from '../../../../../transports/http/dialects/frame/dialect.ts'
import { writeError } from '../../../../../transports/http/dialects/tavily/errors.ts'
import { readExtract, readSearch } from '../../../../../transports/http/dialects/tavily/read.ts'
import { writePages, writeResults } from '../../../../../transports/http/dialects/tavily/write.ts'

const asking: Asking = {
  call: () => Promise.reject(new Error('nothing is called')),
  seesPast: false,
  charges: [{ sku: 'search.pro', amount: 1, credits: 1, paid: false }],
  seconds: () => 0.123_456,
}
const asked = (fields: object = {}) => readSearch({ id: 'r', requestedAt: 0, fields: { query: 'sea', ...fields } })
const extract = (fields: object = {}) => readExtract({ id: 'r', requestedAt: 0, fields: { urls: 'x', ...fields } })
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const result = {
  title: 'A',
  url: 'https://a.example/',
  description: '' as const,
  snippet: '**sea** … more',
  snippet_highlights: [[2, 5]],
  content: 'whole text',
  published_at: '2025-01-01T00:00:00.000Z',
  relevance: 0.5,
}

describe('an answer of Tavily', () => {
  it('has results in its form, and always the fields that its clients read', () => {
    expect(sent(writeResults([result], 'r-1', asked({ include_raw_content: true }), asking))).toEqual({
      query: 'sea',
      follow_up_questions: null,
      answer: null,
      images: [],
      results: [
        {
          title: 'A',
          url: 'https://a.example/',
          content: 'sea … more',
          score: 0.5,
          raw_content: 'whole text',
          published_date: '2025-01-01T00:00:00.000Z',
        },
      ],
      response_time: 0.123,
      request_id: 'r-1',
    })
    const passages = ['one', 'two'].map((text, i) => ({ text, start: 0, end: text.length, context: [], score: i }))
    const chunked = (chunks_per_source: number) =>
      writeResults([{ ...result, passages }], 'r-1', asked({ chunks_per_source }), asking)
    expect(chunked(2)).toMatchObject({ results: [{ content: 'one [...] two' }] })
    expect(chunked(1)).toMatchObject({ results: [{ content: 'two' }] })
    const { content: _, ...bare } = result
    expect(writeResults([bare], 'r-1', asked(), asking)).toMatchObject({ results: [{ raw_content: null }] })
  })

  it('has its warnings as texts, and its usage if the request asks for it', () => {
    expect(writeResults([], 'r-1', asked({ country: 'france', include_usage: true }), asking)).toMatchObject({
      usage: { credits: 1 },
      warnings: ['country: left out: results are the same for everybody'],
    })
  })

  it('has the pages that were read, and why others were not', () => {
    const page = { url: 'https://a.example/', title: 'A', content: 'text', description: '' as const }
    const reads = [
      { url: 'https://a.example', page },
      { url: 'https://b.example/', failure: new ServiceError('not_indexed', 'The index has no such page.') },
    ]
    expect(sent(writePages(reads, 'r-1', extract(), asking))).toEqual({
      results: [{ url: 'https://a.example', title: 'A', raw_content: 'text', images: [] }],
      failed_results: [{ url: 'https://b.example/', error: 'The index has no such page.' }],
      response_time: 0.123,
      request_id: 'r-1',
    })
  })
})

it.each([
  ['unauthorized', 401],
  ['insufficient_credits', 432],
  ['rate_limited', 429],
  ['invalid_request', 400],
] as const)('the error %s has the status %d of Tavily and its form', (kind, status) => {
  expect(writeError(new ServiceError(kind, 'No.'))).toEqual({ status, body: { detail: { error: 'No.' } } })
})
