import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const kind = (html: string, url = 'https://www.example.com/x') =>
  extractPage(html, { url, contentType: 'text/html' }).kind
const data = (...types: string[]) =>
  types.map(type => `<script type="application/ld+json">{"@type":"${type}","name":"x"}</script>`).join('')

describe('the kind of a page', () => {
  it.each([
    ['article', 'an article in JSON-LD', data('NewsArticle')],
    ['product', 'a product in JSON-LD among other items', data('Organization', 'Product', 'Article')],
    ['listing', 'many products in JSON-LD', data('Product', 'Product', 'Product')],
    ['listing', 'a collection in JSON-LD', data('CollectionPage', 'Product')],
    ['forum', 'a question page in JSON-LD', data('QAPage')],
    ['docs', 'a technical article in JSON-LD', data('TechArticle')],
    [
      'product',
      'a product in microdata',
      '<div itemscope itemtype="https://schema.org/Product"><p itemprop=name>x</div>',
    ],
    [
      'product',
      'an item in a WebPage of microdata',
      '<body itemscope itemtype="http://schema.org/WebPage"><div itemscope itemtype="http://schema.org/Product">x</div>',
    ],
    ['docs', 'the software that made it', '<meta name=generator content="Docusaurus v3"><article>x</article>'],
    ['forum', 'the software that made it', '<meta name=generator content="Discourse 3.2"><p>x'],
    ['article', 'OpenGraph', '<meta property=og:type content=article><p>x'],
    ['product', 'OpenGraph', '<meta property=og:type content=product><p>x'],
    [
      'article',
      'one article element with comments in it',
      '<article>x<article>reply</article><article>reply</article></article>',
    ],
    ['listing', 'many article elements', '<article>a</article><article>b</article><article>c</article>'],
    [
      'article',
      'a date and an author',
      '<meta name=author content="Ann Lee"><meta property="article:published_time" content="2024-05-01"><p>x',
    ],
  ])('is %s by %s', (expected, _sign, html) => {
    expect(kind(html)).toBe(expected)
  })

  it.each([
    ['https://docs.example.com/x', 'docs'],
    ['https://example.com/docs/x', 'docs'],
    ['https://forum.example.com/t/1', 'forum'],
    ['https://example.com/viewtopic.php?t=1', 'forum'],
    ['https://example.com/threads/why.5/', 'forum'],
    ['https://example.com/topic/157-why/', 'forum'],
    ['https://example.com/topic/cloud/', undefined],
    ['https://example.com/docsis', undefined],
  ])('at %s is %s by its URL', (url, expected) => {
    expect(kind('<p>x', url)).toBe(expected)
  })

  it('is absent if nothing in the page says', () => {
    expect(extractPage('<p>x', { url: 'https://example.com/', contentType: 'text/html' }).kind).toBeUndefined()
    expect(extractPage('x', { url: 'https://example.com/', contentType: 'text/plain' }).kind).toBeUndefined()
  })
})
