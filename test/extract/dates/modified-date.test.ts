import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const page = (html: string) => extractPage(html, { url: 'https://a.example/x', contentType: 'text/html' })

describe('the modified date', () => {
  it.each([
    [
      'JSON-LD',
      '<script type="application/ld+json">{"@type":"Article","dateModified":"2024-05-06T07:08:09Z"}</script>',
      '2024-05-06T07:08:09Z',
    ],
    ['meta', '<meta property="article:modified_time" content="2024-05-06">', '2024-05-06'],
    ['microdata', '<span itemprop=dateModified content="2024-05-06">6 May</span>', '2024-05-06'],
    [
      'a time element called updated',
      '<time class="entry-date updated" datetime="2024-05-06">6 May</time>',
      '2024-05-06',
    ],
  ])('comes from %s, and is not a publish date', (_source, html, expected) => {
    const { modifiedAt, publishedAt } = page(html)
    expect(modifiedAt).toBe(expected)
    expect(publishedAt).toBeUndefined()
  })

  it('is not that of a time element that is also called published', () => {
    expect(page('<time class="published updated" datetime="2024-05-06">6 May</time>').modifiedAt).toBeUndefined()
  })
})
