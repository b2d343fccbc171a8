import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const page = (html: string) => extractPage(html, { url: 'https://www.example.com/dir/x', contentType: 'text/html' })
const jsonLd = (text: string) => `<script type="application/ld+json">${text}</script>`
const post = (name: string) => `<div itemscope><b itemprop=author>${name}</b></div>`

describe('authorOf', () => {
  it.each([
    [
      'JSON-LD of the article',
      jsonLd('{"@type":"Article","author":[{"@type":"Person","name":"Ann Lee"},{"name":"Bo Ray"}]}'),
      'Ann Lee, Bo Ray',
    ],
    [
      'the JSON-LD item that the article refers to',
      jsonLd('{"@graph":[{"@type":"Article","author":{"@id":"#a"}},{"@type":"Person","@id":"#a","name":"Ann Lee"}]}'),
      'Ann Lee',
    ],
    ['meta', '<meta name=author content="By Ann Lee">', 'Ann Lee'],
    [
      'the label that WordPress writes for cards',
      '<meta name=twitter:label1 content="Written by"><meta name=twitter:data1 content="Ann Lee">',
      'Ann Lee',
    ],
    [
      'a byline, rather than the site itself',
      '<meta property=og:site_name content="The Daily"><meta name=author content="The Daily"><p class=byline>By Ann Lee</p>',
      'Ann Lee',
    ],
    [
      'a byline, rather than a user name',
      '<meta name=author content="annlee7"><p class=byline>By Ann Lee</p>',
      'Ann Lee',
    ],
    [
      'the site itself if no other author is named',
      '<meta property=og:site_name content="The Daily"><meta name=author content="The Daily">',
      'The Daily',
    ],
    ['the first of several microdata items', post('Ann Lee') + post('Bo Ray'), 'Ann Lee'],
    ['the links of a byline, without the roles next to them', '<p class=byline><a>Ann Lee</a> Gardener</p>', 'Ann Lee'],
    ['a link to a page of the author', '<h1>T</h1><a href="/authors/ann-lee">Ann Lee</a>', 'Ann Lee'],
    ['an element after "By"', '<h1>T</h1><p>By <a href=/x>Ann Lee</a>', 'Ann Lee'],
    ['the line of the date', '<h1>T</h1><p>Ann Lee | Senior Writer | July 2, 2025', 'Ann Lee'],
    ['rel=author', '<a rel=author href=/a>Ann Lee</a>', 'Ann Lee'],
    ['microdata', '<span itemprop=author><b itemprop=name>Ann Lee</b> writes</span>', 'Ann Lee'],
    ['a byline', '<p class=byline>By Ann Lee</p>', 'Ann Lee'],
    ['text after "By"', '<h1>T</h1><p>By Ann Lee</p>', 'Ann Lee'],
  ])('comes from %s', (_rule, html, expected) => {
    expect(page(html).author).toBe(expected)
  })
  it.each(['admin', 'https://facebook.com/x', 'Editor', '@'])('is never %j', name => {
    expect(page(`<meta name=author content="${name}">`).author).toBeUndefined()
  })
  it.each([
    ['Ann Lee December 18, 2025', 'Ann Lee'],
    ['Ann Lee 2022-11-23T08:10', 'Ann Lee'],
    ['Recipe by Ann Lee', 'Ann Lee'],
    ['View all posts by Ann Lee', 'Ann Lee'],
    ['Ann Lee, MD. Reviewed by Bo Ray', 'Ann Lee, MD'],
    ['Christoph von Ritter', 'Christoph von Ritter'],
  ])('reads %j as %j', (written, name) => {
    expect(page(`<meta name=author content="${written}">`).author).toBe(name)
  })
  it('is not the author of a comment', () => {
    expect(page('<div class=comments><a rel=author>Troll</a></div>').author).toBeUndefined()
  })
})
