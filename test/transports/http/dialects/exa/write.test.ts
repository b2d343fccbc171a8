import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../../service/index.ts'
import { writeError } from '../../../../../transports/http/dialects/exa/errors.ts'
import type { WantedContents } from '../../../../../transports/http/dialects/exa/read.ts'
import { writePages, writeResults } from '../../../../../transports/http/dialects/exa/write.ts'
import type { Asking } from '../../../../../transports/http/dialects/frame/dialect.ts'
import type { DialectWarning } from '../../../../../transports/http/dialects/frame/warning.ts'

const asking: Asking = {
  call: () => Promise.reject(new Error('nothing is called')),
  seesPast: false,
  charges: [
    { sku: 'search.pro', amount: 1, credits: 1, paid: true },
    { sku: 'search.pro', amount: 1, credits: 1, paid: false },
  ],
  seconds: () => 1,
}
const none: WantedContents = {
  textChars: undefined,
  allowsLonger: false,
  highlightChars: undefined,
  highlightQuery: undefined,
}
const written = (wanted: Partial<WantedContents> = {}, warnings: DialectWarning[] = []) => ({
  id: 'r-1',
  wanted: { ...none, ...wanted },
  warnings,
  asking,
})
const result = {
  title: 'A',
  url: 'https://a.example/',
  description: '' as const,
  snippet: 'other',
  passages: ['sea', 'more'].map(text => ({ text, start: 0, end: text.length, context: [], score: 1 })),
  content: 'whole text',
  author: 'Ann',
  published_at: '2025-01-01T00:00:00.000Z',
  acquired_at: '2025-01-02T00:00:00.000Z',
  relevance: 0.5,
}

/** Returns a value as a client gets it. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('an answer of Exa', () => {
  it('has results in its form, and only what the request asks for', () => {
    expect(sent(writeResults([result], written({ textChars: 100, highlightChars: 600 })))).toEqual({
      requestId: 'r-1',
      resolvedSearchType: 'keyword',
      results: [
        {
          id: 'https://a.example/',
          url: 'https://a.example/',
          title: 'A',
          publishedDate: '2025-01-01T00:00:00.000Z',
          author: 'Ann',
          score: 0.5,
          snapshotAt: '2025-01-02T00:00:00.000Z',
          text: 'whole text',
          highlights: ['sea', 'more'],
          highlightScores: [0.5, 0.5],
        },
      ],
      costDollars: { total: 0.004 },
    })
    const [bare] = (sent(writeResults([result], written())) as { results: object[] }).results
    expect(bare).not.toHaveProperty('text')
    expect(bare).not.toHaveProperty('highlights')
  })

  it('has its warnings in the form of Exa', () => {
    const warnings = [{ path: 'category', message: 'left out' }]
    expect(writeResults([], written({}, warnings))).toMatchObject({
      warnings: [{ code: 'ASOF', path: 'category', message: 'left out' }],
    })
  })

  it('warns of a text that asof cut, unless the request cut it', () => {
    const cut = (allowsLonger: boolean) => writeResults([result], written({ textChars: 10, allowsLonger }))
    expect(cut(true)).toMatchObject({ warnings: [{ path: 'text' }] })
    expect(sent(cut(false))).not.toHaveProperty('warnings')
  })

  it('has a status for each page, with the reason of Exa if it has no contents', () => {
    const live = { url: 'https://b.example/', title: 'B', content: 'text', description: '' as const }
    const stored = { ...live, url: 'https://a.example/', acquired_at: '2025-01-02T00:00:00.000Z' }
    const failed = (url: string, kind: ConstructorParameters<typeof ServiceError>[0]) => ({
      url,
      failure: new ServiceError(kind, `${kind} it is`),
    })
    const answer = writePages(
      [
        { url: 'https://a.example', page: stored },
        { url: 'https://b.example/', page: live },
        failed('https://c.example/', 'not_indexed'),
        failed('https://d.example/', 'target_timeout'),
        failed('nonsense', 'invalid_request'),
        failed('https://e.example/', 'overloaded'),
      ],
      written({ textChars: 100 }),
    )
    expect(sent(answer)).toMatchObject({
      results: [{ id: 'https://a.example', url: 'https://a.example/', text: 'text' }, { id: 'https://b.example/' }],
      statuses: [
        { id: 'https://a.example', status: 'success', source: 'cached' },
        { id: 'https://b.example/', status: 'success', source: 'crawled' },
        { id: 'https://c.example/', status: 'error', error: { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 } },
        { id: 'https://d.example/', status: 'error', error: { tag: 'CRAWL_TIMEOUT', httpStatusCode: 504 } },
        { id: 'nonsense', status: 'error', error: { tag: 'UNSUPPORTED_URL', httpStatusCode: 400 } },
        { id: 'https://e.example/', status: 'error', error: { tag: 'CRAWL_UNKNOWN_ERROR', httpStatusCode: 503 } },
      ],
    })
  })
})

it('an error of Exa has its message as text, and a tag', () => {
  expect(writeError(new ServiceError('insufficient_credits', 'No credits.'), 'r-1')).toEqual({
    status: 402,
    body: { requestId: 'r-1', error: 'No credits.', tag: 'INSUFFICIENT_CREDITS' },
  })
})
