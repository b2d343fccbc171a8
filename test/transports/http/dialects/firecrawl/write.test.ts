import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../../service/index.ts'
import { writeError } from '../../../../../transports/http/dialects/firecrawl/errors.ts'
import { readScrape, readSearch } from '../../../../../transports/http/dialects/firecrawl/read.ts'
import { linksOf, writePage, writeResults } from '../../../../../transports/http/dialects/firecrawl/write.ts'
import type { Asking } from '../../../../../transports/http/dialects/frame/dialect.ts'

const asking: Asking = {
  call: () => Promise.reject(new Error('nothing is called')),
  seesPast: false,
  charges: [{ sku: 'search.pro', amount: 1, credits: 1, paid: true }],
  seconds: () => 1,
}
const requestedAt = Date.UTC(2025, 5, 1)
const scrape = (fields: object = {}) =>
  readScrape({ id: 'r', requestedAt, fields: { url: 'https://a.example', ...fields } })
const search = (fields: object = {}) => readSearch({ id: 'r', requestedAt, fields: { query: 'sea', ...fields } })
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const content = 'See [a](https://b.example/x) and [b](/y "t").'

describe('an answer of Firecrawl', () => {
  it('has a page in its formats, with what is known of it', () => {
    const page = {
      url: 'https://a.example/',
      title: 'A',
      content,
      description: '' as const,
      author: 'Ann',
      published_at: '2025-01-01T00:00:00.000Z',
      acquired_at: '2025-01-02T00:00:00.000Z',
      metadata: { description: 'About', lang: 'en' },
    }
    expect(sent(writePage(page, scrape({ formats: ['markdown', 'links', 'html'] })))).toEqual({
      success: true,
      data: {
        markdown: content,
        links: ['https://b.example/x'],
        warning: 'formats html: left out: asof keeps no HTML',
        metadata: {
          title: 'A',
          description: 'About',
          language: 'en',
          author: 'Ann',
          publishedTime: '2025-01-01T00:00:00.000Z',
          sourceURL: 'https://a.example',
          url: 'https://a.example/',
          statusCode: 200,
          cacheState: 'hit',
          cachedAt: '2025-01-02T00:00:00.000Z',
        },
      },
    })
    const { acquired_at: _, ...live } = page
    expect(writePage(live, scrape())).toMatchObject({ data: { metadata: { cacheState: 'miss' } } })
  })

  const result = {
    title: 'A',
    url: 'https://a.example/',
    description: '' as const,
    snippet: '**sea** … more',
    snippet_highlights: [[2, 5]],
    content,
    last_seen_at: '2025-05-01T00:00:00.000Z',
    acquired_at: '2025-01-02T00:00:00.000Z',
    relevance: 1,
  }

  it('has results, with their pages only if the request asks for them', () => {
    expect(sent(writeResults({ results: [result] }, 'r-1', search(), asking))).toEqual({
      success: true,
      data: { web: [{ url: 'https://a.example/', title: 'A', description: 'sea … more', position: 1 }] },
      creditsUsed: 1,
      id: 'r-1',
    })
    expect(
      writeResults({ results: [result] }, 'r-1', search({ scrapeOptions: { formats: ['markdown'] } }), asking),
    ).toMatchObject({
      data: { web: [{ markdown: content, metadata: { cachedAt: '2025-01-02T00:00:00.000Z', statusCode: 200 } }] },
    })
  })

  it('warns of texts that are older than the request asks for', () => {
    const warned = (maxAge: number) =>
      writeResults({ results: [result] }, 'r-1', search({ scrapeOptions: { formats: ['markdown'], maxAge } }), asking)
    expect(warned(3_600_000)).toMatchObject({ warning: expect.stringMatching(/^scrapeOptions\.maxAge: some texts/) })
    expect(sent(warned(90 * 86_400_000))).not.toHaveProperty('warning')
  })
})

it('links of Markdown are those with an absolute address, each once', () => {
  expect(
    linksOf('[a](https://a.example/b_(c)) ![i](https://a.example/i.png) [a](https://a.example/b_(c)) [r](/r)'),
  ).toEqual(['https://a.example/b_(c)', 'https://a.example/i.png'])
})

it.each([
  ['target_unreachable', 500],
  ['target_timeout', 408],
  ['insufficient_credits', 402],
  ['overloaded', 503],
] as const)('the error %s has the status %d, never the 502 that clients repeat', (kind, status) => {
  expect(writeError(new ServiceError(kind, 'No.'))).toMatchObject({
    status,
    body: { success: false, error: 'No.', code: expect.stringMatching(/^[A-Z_]+$/) },
  })
})
