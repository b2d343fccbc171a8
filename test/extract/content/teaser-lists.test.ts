import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const url = 'https://paper.example/news/flood'
const content = (html: string) => extractPage(html, { url, contentType: 'text/html' }).markdown

const prose = (word: string) =>
  `<p>${`The ${word} rose by another meter during the night, the mayor said on Tuesday. `.repeat(4)}</p>`
const story = prose('river') + prose('lake') + prose('sea')
const dated = '<meta property="og:type" content="article"><meta property="article:published_time" content="2020-05-31">'
const numbers = [1, 2, 3, 4]
const lead = (n: number) =>
  `What happened next in part ${n} of the town is told at length on another page of this paper.`
/** The lists have more than a tenth of the prose and are in the box of the article. */
const page = (after: string) =>
  `${dated}<title>Flood</title><main><h1>Flood</h1><div class=copy>${story}</div>${after}</main>`

describe('dropTeaserLists', () => {
  it('leaves out a list of other articles whose boxes all have different ids and classes', () => {
    const cards = numbers.map(
      n =>
        `<div id=card-${n} class="c${n}"><h3><a href="/news/${n}">Another report, number ${n}</a></h3><p>${lead(n)}</p></div>`,
    )
    const markdown = content(page(`<section>${cards.join('')}</section>`))
    expect(markdown).toContain('The sea rose')
    expect(markdown).not.toMatch(/Another report|What happened next/)
  })

  it('leaves out a list whose headlines are paragraphs', () => {
    const cards = numbers.map(n => `<p><a href="/news/${n}">Another report, number ${n}</a></p><p>${lead(n)}</p>`)
    expect(content(page(`<div><div>${cards.join('')}</div></div>`))).not.toContain('What happened next')
  })

  it('leaves out the prose of teasers whose headlines were dropped as navigation', () => {
    const cards = numbers.map(
      n => `<section><header><a href="/news/${n}">Another report, number ${n}</a></header><p>${lead(n)}</p></section>`,
    )
    expect(content(page(`<div>${cards.join('')}</div>`))).not.toContain('What happened next')
  })

  it('keeps a paragraph before the list in the same box', () => {
    const cards = numbers.map(
      n => `<div><h3><a href="/news/${n}">Another report, number ${n}</a></h3><p>${lead(n)}</p></div>`,
    )
    const markdown = content(page(`<div>${prose('pond')}<div>${cards.join('')}</div></div>`))
    expect(markdown).toContain('The pond rose')
    expect(markdown).not.toContain('What happened next')
  })

  it('keeps sections with linked headings and much prose', () => {
    const sections = numbers.map(
      n =>
        `<div id=part-${n}><h3><a href="/news/${n}">Another report, number ${n}</a></h3>${`<p>${lead(n)}</p>`.repeat(7)}</div>`,
    )
    expect(content(page(`<section>${sections.join('')}</section>`))).toContain('What happened next in part 4')
  })

  it('keeps tables and lists with links to other pages of the site', () => {
    const rows = numbers.map(n => `<tr><td><a href="/news/${n}">Another report, number ${n}</a><td>${lead(n)}`)
    expect(content(page(`<table>${rows.join('')}</table>`))).toContain('What happened next in part 4')
  })

  it('keeps headings that link to other sites, and always most of the article', () => {
    const boxes = (href: (n: number) => string, count: number) =>
      [...Array(count).keys()].map(
        n => `<div id=part-${n}><h3><a href="${href(n)}">Another report, number ${n}</a></h3><p>${lead(n)}</p></div>`,
      )
    expect(content(page(`<div>${boxes(n => `https://shop${n}.example/`, 4).join('')}</div>`))).toContain('part 3')
    expect(content(page(`<div>${boxes(n => `/news/${n}`, 40).join('')}</div>`))).toContain('part 39')
  })
})
