import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const content = (html: string) =>
  extractPage(html, { url: 'https://paper.example/a', contentType: 'text/html' }).markdown

const prose = (word: string) =>
  `<p>${`The ${word} rose by another meter during the night, the mayor said on Tuesday. `.repeat(4)}</p>`
const story = prose('river') + prose('lake') + prose('sea')
const head =
  '<meta property="og:type" content="article"><meta property="article:published_time" content="2020-05-31">' +
  '<meta name=author content="Ada Byron">'
const about = 'is a reporter who has written about rivers and lakes for many years and lives by the sea.'

describe('dropAuthorNote', () => {
  it.each([
    ['a paragraph that starts with the name', `<p>Ada Byron ${about}</p>`],
    ['a box', `<div><b>Ada Byron</b><p>She ${about}</p></div>`],
    ['a heading and what follows it', `<h3>About Ada Byron</h3><p>She ${about}</p>`],
    ['a note with words before the name', `<p>Written by Ada Byron. She ${about}</p>`],
  ])('leaves out the note about the author below an article: %s', (_form, note) => {
    const markdown = content(`${head}<article><h1>T</h1>${story}${note}</article>`)
    expect(markdown).toContain('The sea rose')
    expect(markdown).not.toContain('reporter')
  })

  it('keeps a paragraph about the author within the article', () => {
    const markdown = content(`${head}<article><h1>T</h1>${prose('well')}<p>Ada Byron ${about}</p>${story}</article>`)
    expect(markdown).toContain('reporter')
  })

  it('keeps a note about another person', () => {
    expect(content(`${head}<article><h1>T</h1>${story}<p>Mary Shelley ${about}</p></article>`)).toContain('reporter')
  })
})
