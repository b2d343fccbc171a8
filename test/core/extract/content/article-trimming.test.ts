import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../../core/extract/extract-page.ts'

const story = `<p>${'The harbor of the town was rebuilt in three stages, each longer than planned. '.repeat(4)}</p>`
const content = (html: string) =>
  extractPage(
    `<meta name=author content="Ada Lovelace"><main><article><h1>T</h1>${story.repeat(3)}${html}</article></main>`,
    {
      url: 'https://a.example/x',
      contentType: 'text/html',
    },
  ).markdown

describe('what stands under an aside heading', () => {
  it.each([
    ['a heading', '<h2>Method</h2><p>XX</p>'],
    ['a heading in a box', '<div class=wrap><h2>Method</h2></div><p>XX</p>'],
    ['a section with a heading', '<section><header><h2>Method</h2></header><p>XX</p></section>'],
    ['a heading of a higher level', '<div><h1>Method</h1></div><p>XX</p>'],
  ])('ends at %s', (_end, html) => {
    const markdown = content(`<h2>Related articles</h2><p>YY</p>${html}`)
    expect(markdown).toContain('XX')
    expect(markdown).toContain('Method')
    expect(markdown).not.toMatch(/YY|Related/)
  })

  it('is part of the article if it has code', () => {
    const markdown = content(
      '<h2>Comments</h2><p>They begin with two slashes.</p><pre>// XX</pre><h2>Functions</h2><p>YY</p>',
    )
    expect(markdown).toContain('## Comments\n\nThey begin with two slashes.')
    expect(markdown).toContain('// XX')
  })

  it('has the headlines of teasers, which are links', () => {
    const card = '<div><h2><a href=/a>YY is the headline of another story</a></h2></div>'
    expect(content(`<h2>Related articles</h2>${card}${card}<h2>Method</h2><p>XX</p>`)).not.toContain('YY')
  })

  it('ends at a heading in a box after a label', () => {
    const link = '<div><a href=/a>YY is another story</a></div>'
    const part = '<div><h3>Method</h3><a href=/b>XX</a></div>'
    const markdown = content(`<p>Read more</p>${link}${part}`)
    expect(markdown).toContain('XX')
    expect(markdown).not.toContain('YY')
  })
})
