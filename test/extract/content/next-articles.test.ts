import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const url = 'https://paper.example/news/flood'
const content = (html: string) => extractPage(html, { url, contentType: 'text/html' }).markdown

const prose = (word: string) =>
  `<p>${`The ${word} rose by another meter during the night, the mayor said on Tuesday. `.repeat(4)}</p>`
const dated = '<meta property="og:type" content="article"><meta property="article:published_time" content="2020-05-31">'

describe('dropNextArticles', () => {
  const box = (title: string, word: string) => `<div class=scroll><h1>${title}</h1>${prose(word).repeat(3)}</div>`
  const feed = `<div>${box('Flood', 'river')}${box('Fire', 'flame')}${box('Wind', 'storm')}</div>`

  it('leaves out articles in boxes with the same tag and class', () => {
    const markdown = content(`${dated}<title>Flood</title>${feed}`)
    expect(markdown).toContain('The river rose')
    expect(markdown).not.toMatch(/flame|storm/)
  })

  it('keeps parts without a heading of level 1', () => {
    const parts = feed.replace('<h1>Fire', '<h2>Fire').replace('<h1>Wind', '<h2>Wind')
    const markdown = content(`${dated}<title>Flood</title>${parts}`)
    expect(markdown).toContain('The flame rose')
    expect(markdown).toContain('The storm rose')
  })
})
