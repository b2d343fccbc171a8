import { expect, it } from 'vitest'
import { ServiceError } from '../../../../../service/index.ts'
import { writeError } from '../../../../../transports/http/dialects/perplexity/errors.ts'
import { writeResults } from '../../../../../transports/http/dialects/perplexity/write.ts'

it('an answer of Perplexity has results in its form, and its warnings', () => {
  const result = {
    title: 'A',
    url: 'https://a.example/',
    description: '' as const,
    snippet: '**sea** … more',
    snippet_highlights: [[2, 5]],
    published_at: '2025-01-01T10:00:00.000Z',
    acquired_at: '2025-01-02T10:00:00.000Z',
    relevance: 0.5,
  }
  const shown = {
    title: 'A',
    url: 'https://a.example/',
    snippet: 'sea … more',
    date: '2025-01-01',
    last_updated: '2025-01-02',
  }
  expect(JSON.parse(JSON.stringify(writeResults([result], 'r-1', [])))).toEqual({ id: 'r-1', results: [shown] })
  expect(writeResults([], 'r-1', [{ path: 'country', message: 'left out' }])).toMatchObject({
    warnings: ['country: left out'],
  })
})

it('an error of Perplexity has its message and a type', () => {
  expect(writeError(new ServiceError('insufficient_credits', 'No.'))).toEqual({
    status: 402,
    body: { error: { message: 'No.', type: 'insufficient_credits', code: 402 } },
  })
})
