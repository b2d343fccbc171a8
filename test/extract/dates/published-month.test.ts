import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

function published(html: string) {
  const page = `<title>The town plan</title><main><h1>The town plan</h1>${html}<p>The harbor of the old town.</p></main>`
  const { publishedAt, publishedFrom } = extractPage(page, { url: 'https://a.example/plan', contentType: 'text/html' })
  return [publishedAt, publishedFrom?.precision]
}

describe('a publish month in the text', () => {
  it.each([
    '<p>Published: September 2023</p>',
    '<p>Published in September 2023 by the town</p>',
    '<p>Posted: Sept. 2023</p>',
    '<p>Veröffentlicht: September 2023</p>',
    '<p>Publié : septembre 2023</p>',
    '<p>Publication date: 09/2023</p>',
    '<p>Published: 2023-09</p>',
    '<p><b>Published</b> <span>September 2023</span></p>',
  ])('is read from %s', html => {
    expect(published(html)).toEqual(['2023-09-01', 'month'])
  })

  it.each(['<p>Updated September 2023</p>', '<p>Seen in September 2023</p>', '<p>Published September 99</p>'])(
    'is not in %s',
    html => {
      expect(published(html)).toEqual([undefined, undefined])
    },
  )
})
