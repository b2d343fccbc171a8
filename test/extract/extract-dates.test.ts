import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractDates, extractPage } from '../../extract/index.ts'

const url = 'https://a.example/2024/page'

const parts = [
  '<meta property="article:published_time" content="2024-05-10T10:00:00+02:00">',
  '<meta property="article:modified_time" content="2024-06-01T08:00:00Z">',
  '<script type="application/ld+json">{"@type":"Article","datePublished":"2024-05-09","author":{"name":"Ada Lund"}}</script>',
  '<h1>A lighthouse keeps its lamp</h1>',
  '<p class="byline">By Ada Lund, May 8, 2024</p>',
  '<time datetime="2024-05-07" pubdate>7 May</time>',
  '<p>The keeper lit the lamp on 3 March 1911, and it has not gone out since.</p>',
  '<footer>Last updated 2 July 2024</footer>',
  '<html lang="de">',
]

describe('extractDates', () => {
  it('finds the dates of a page with the source of the publish date', () => {
    expect(extractDates(parts.slice(0, 2).join(''), { url })).toEqual({
      publishedAt: '2024-05-10T10:00:00+02:00',
      publishedFrom: { source: 'meta', precision: 'second' },
      modifiedAt: '2024-06-01T08:00:00Z',
    })
  })

  it('finds the dates that extractPage finds', () => {
    fc.assert(
      fc.property(fc.subarray(parts), fc.boolean(), (chosen, inBytes) => {
        const body = inBytes ? Buffer.from(chosen.join('\n')) : chosen.join('\n')
        const { publishedAt, publishedFrom, modifiedAt } = extractPage(body, { url })
        expect(extractDates(body, { url })).toEqual({ publishedAt, publishedFrom, modifiedAt })
      }),
    )
  })

  it.each([
    ['Markdown', 'text/markdown', '---\ndate: 2024-05-10\n---\n# Lamp'],
    ['XHTML', 'application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml">${parts[4]}</html>`],
    [
      'an article in JATS',
      'application/xml',
      '<article><front><article-meta><pub-date><year>2024</year><month>5</month><day>10</day></pub-date></article-meta></front></article>',
    ],
  ])('finds the date of %s', (_, contentType, body) => {
    const options = { url: 'https://a.example/page', contentType }
    expect(extractDates(body, options).publishedAt).toMatch(/^2024-05-(10|08)/)
    expect(extractDates(body, options).publishedAt).toBe(extractPage(body, options).publishedAt)
  })

  it('ignores publish dates after latestAt', () => {
    expect(
      extractDates(parts[0]!, { url: 'https://a.example/', latestAt: Date.UTC(2024, 0, 1) }).publishedAt,
    ).toBeUndefined()
  })

  it('rejects a body and options of other types with the name of the option', () => {
    const calls = [
      () => extractDates(7 as never, { url }),
      () => extractDates('', {} as never),
      () => extractDates('', { url, fields: {} } as never),
    ]
    const fields = calls.map(call => {
      try {
        return call()
      } catch (error) {
        return error
      }
    })
    expect(fields).toMatchObject([
      { code: 'ASOF_INVALID_OPTION', details: { field: 'body' } },
      { code: 'ASOF_INVALID_OPTION', details: { field: 'url' } },
      { code: 'ASOF_INVALID_OPTION', details: { field: 'fields' } },
    ])
  })
})
