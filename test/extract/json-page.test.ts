import { describe, expect, it } from 'vitest'
import { extractPage } from '../../extract/extract-page.ts'

const read = (value: unknown, contentType = 'application/feed+json') =>
  extractPage(JSON.stringify(value), { url: 'https://a.example/feed.json', contentType })

describe('a JSON Feed', () => {
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'Harbour news',
    description: 'From the quay',
    language: 'en-GB',
    items: [
      {
        id: 1,
        url: '/a',
        title: 'Fog *again*',
        content_html: '<p>Thick &amp; white',
        date_published: '2024-05-01T08:00:00Z',
      },
      { id: 2, external_url: 'https://b.example/', content_text: 'No title' },
      'nonsense',
      { id: 3, url: 'javascript:alert(1)', title: 'No link' },
    ],
  }
  it('becomes a list of its entries, for both Content-Types', () => {
    for (const type of ['application/feed+json', 'application/json']) {
      expect(read(feed, type)).toEqual({
        title: 'Harbour news',
        description: 'From the quay',
        lang: 'en-GB',
        robots: { noindex: false, nofollow: false },
        markdown:
          'From the quay\n\n- [Fog \\*again\\*](https://a.example/a) — 2024-05-01: Thick & white\n- [No title](https://b.example/)\n- No link',
        links: [
          { url: 'https://a.example/a', text: 'Fog *again*', nofollow: false },
          { url: 'https://b.example/', text: '', nofollow: false },
        ],
        data: [],
      })
    }
  })
  it('is read as any other JSON without a version of the format or without entries', () => {
    expect(read({ ...feed, version: '1' }).markdown).toMatch(/^```json/)
    expect(read({ ...feed, items: {} }).markdown).toMatch(/^```json/)
  })
})

describe('another JSON body', () => {
  it('is formatted with its numbers as written', () => {
    const source = '{"id":4223372036854775805,"ids":[-9007199254740993],"rate":0.12345678901234567890,"n":1e400}'
    const { markdown } = extractPage(source, { url: 'https://a.example/a.json', contentType: 'application/json' })
    expect(markdown.replace(/\s/g, '').slice('```json'.length, -3)).toBe(source)
    expect(markdown.split('\n').length).toBeGreaterThan(5)
  })
})
