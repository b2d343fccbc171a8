import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const url = 'https://paper.example/news/flood'
const content = (html: string) => extractPage(html, { url, contentType: 'text/html' }).markdown

const prose = (word: string) =>
  `<p>${`The ${word} rose by another meter during the night, the mayor said on Tuesday. `.repeat(4)}</p>`
const story = prose('river') + prose('lake') + prose('sea')
const dated = '<meta property="og:type" content="article"><meta property="article:published_time" content="2020-05-31">'

const teaser = (n: number, href: string) =>
  `<div class=card><h3><a href="${href}">Another report ${n}</a></h3><p>What happened next in part ${n} of the town is told on another page of this paper.</p></div>`
const teasers = (href: (n: number) => string) => [1, 2, 3, 4].map(n => teaser(n, href(n))).join('')
const page = (after: string, head = dated) =>
  `${head}<title>Flood</title><main><article><h1>Flood</h1>${story}</article><section>${after}</section></main>`
/** Everything is in one box, so that the choice of the box leaves nothing out. */
const oneBox = (after: string, head = dated) => `${head}<title>Flood</title><main><h1>Flood</h1>${story}${after}</main>`

describe('dropTeasers', () => {
  it('leaves out boxes with the same tag and class whose headings link to other pages of the site', () => {
    for (const html of [page, oneBox]) {
      const markdown = content(html(`<h2>Nearby</h2>${teasers(n => `/news/${n}`)}`))
      expect(markdown).toContain('The sea rose')
      expect(markdown).not.toMatch(/Another report|What happened next/)
    }
    expect(content(oneBox(`<h2>Nearby</h2>${teasers(n => `/news/${n}`)}`))).not.toContain('Nearby')
  })

  it('keeps boxes whose headings link to chapters of the page', () => {
    expect(content(oneBox(teasers(n => `/news/flood/${n}`)))).toContain('Another report 4')
  })

  it('keeps boxes whose headings link to other sites, such as the entries of a ranking', () => {
    expect(content(oneBox(teasers(n => `https://shop${n}.example/item`)))).toContain('Another report 4')
  })

  it('keeps boxes whose headings link within the page', () => {
    expect(content(oneBox(teasers(n => `#part-${n}`)))).toContain('Another report 4')
  })

  it('keeps boxes with long text under their headings', () => {
    const entry = (n: number) =>
      `<div class=card><h3><a href=/news/${n}>Another report ${n}</a></h3>${prose('pond').repeat(4)}</div>`
    expect(content(oneBox([1, 2, 3].map(entry).join('')))).toContain('Another report 3')
  })

  it('keeps the teasers of a listing and of a page without a date', () => {
    const list = '<script type="application/ld+json">{"@type":"CollectionPage"}</script>'
    expect(
      content(
        oneBox(
          teasers(n => `/news/${n}`),
          list,
        ),
      ),
    ).toContain('Another report 4')
    expect(
      content(
        oneBox(
          teasers(n => `/news/${n}`),
          '',
        ),
      ),
    ).toContain('Another report 4')
  })
})
