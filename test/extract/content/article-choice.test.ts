import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const url = 'https://paper.example/news/flood'
const content = (html: string) => extractPage(html, { url, contentType: 'text/html' }).markdown

const prose = (word: string) =>
  `<p>${`The ${word} rose by another meter during the night, the mayor said on Tuesday. `.repeat(4)}</p>`
const story = prose('river') + prose('lake') + prose('sea')
const dated = '<meta property="og:type" content="article"><meta property="article:published_time" content="2020-05-31">'

describe('an article with a date', () => {
  const menu = Array.from({ length: 60 }, (_, n) => `<li>Section ${n} of the paper <b>${n}</b></li>`).join('')
  const sparse = (head: string) =>
    content(`${head}<div><ul>${menu}</ul></div><div class=article-body>${story}</div><div><ul>${menu}</ul></div>`)

  it("is extracted as an article even if most of the page's text is next to it", () => {
    expect(sparse(dated)).toMatch(/^The river rose/)
    expect(sparse(dated)).not.toContain('Section')
  })

  it('is read as a page of short blocks if it is a recipe or has no date', () => {
    expect(sparse('<meta property="og:type" content="article">')).toContain('Section')
    const recipe = '<script type="application/ld+json">{"@type":"Recipe","datePublished":"2020-05-31"}</script>'
    expect(sparse(recipe)).toContain('Section')
  })

  it('is narrowed down to the box of its text if mostly links are next to it', () => {
    const posts = Array.from({ length: 20 }, (_, n) => `<li><a href="/${n}">A post of last week, number ${n}</a>`).join(
      '',
    )
    const beside = `<div><ul>${posts}</ul>${prose('pond')}</div>`
    const page = (head: string) => content(`${head}<title>T</title><div>${beside}<div>${story}</div></div>`)
    expect(page(dated)).toMatch(/^The river rose/)
    expect(page(dated)).not.toContain('pond')
  })

  it('keeps prose with few links next to its text', () => {
    const beside = `<div><a href="/x">A post</a>${prose('pond')}</div>`
    expect(content(`${dated}<title>T</title><div>${beside}<div>${story}</div></div>`)).toContain('The pond rose')
  })
})

describe('a box whose name says that it is not content', () => {
  const long = story.repeat(4)
  const notice = prose('cookie').repeat(14)
  it("is dropped even if it has most of the page's text, if an article with a heading is next to it", () => {
    for (const name of ['onetrust-consent', 'sidebar', 'comments', 'navigation']) {
      const markdown = content(`${dated}<main><h1>Flood</h1>${long}</main><div id=${name}>${notice}</div>`)
      expect(markdown).toContain('The sea rose')
      expect(markdown).not.toContain('cookie')
    }
  })

  it("is kept if it has most of the page's text and the heading, or if the heading is without prose", () => {
    expect(content(`${dated}<div class=sidebar><h1>Flood</h1>${story}</div>${prose('pond')}`)).toContain('The sea rose')
    expect(content(`${dated}<div><h1>Flood</h1></div><div class=sidebar>${story}</div>`)).toContain('The sea rose')
  })

  it('is dropped if its name means comments in another language', () => {
    for (const name of ['kommentare', 'commentaires', 'comentarios', 'sect_commentlinks'])
      expect(content(`${dated}<article>${story}<div class=${name}>${prose('pond')}</div></article>`)).not.toContain(
        'pond',
      )
  })
})
