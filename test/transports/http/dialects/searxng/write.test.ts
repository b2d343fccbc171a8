import { expect, it } from 'vitest'
import { ServiceError } from '../../../../../service/index.ts'
import { writeError } from '../../../../../transports/http/dialects/searxng/errors.ts'
import { writeResults } from '../../../../../transports/http/dialects/searxng/write.ts'

it('an answer of SearXNG has results in its form, numbered over all pages of results', () => {
  const result = {
    title: 'A',
    url: 'https://a.example:8080/b?c=d#e',
    description: '' as const,
    snippet: '**sea** … more',
    snippet_highlights: [[2, 5]],
    relevance: 0.5,
  }
  const asked = {
    request: { query: 'sea', max_results: 20, offset: 20 },
    warnings: [{ path: 'other', message: 'ignored' }],
  }
  expect(writeResults({ results: [result], total: 21 }, asked)).toEqual({
    query: 'sea',
    number_of_results: 21,
    results: [
      {
        url: 'https://a.example:8080/b?c=d#e',
        title: 'A',
        content: 'sea … more',
        publishedDate: null,
        engine: 'asof',
        engines: ['asof'],
        category: 'general',
        template: 'default.html',
        parsed_url: ['https', 'a.example:8080', '/b', '', 'c=d', 'e'],
        positions: [21],
        score: 0.5,
      },
    ],
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: [['asof', 'other: ignored']],
  })
})

it('an error of SearXNG has its message', () => {
  expect(writeError(new ServiceError('invalid_request', 'q: is required'))).toEqual({
    status: 400,
    body: { error: 'q: is required' },
  })
})
