import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../core/extract/extract-page.ts'

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

  it('is extracted as an article even if most of the text of the page is beside it', () => {
    expect(sparse(dated)).toMatch(/^The river rose/)
    expect(sparse(dated)).not.toContain('Section')
  })

  it('is a page of short blocks if it is a recipe or nothing dates it', () => {
    expect(sparse('<meta property="og:type" content="article">')).toContain('Section')
    const recipe = '<script type="application/ld+json">{"@type":"Recipe","datePublished":"2020-05-31"}</script>'
    expect(sparse(recipe)).toContain('Section')
  })
})
