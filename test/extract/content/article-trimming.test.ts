import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

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

  it.each([
    ['Tags', '<p>A tag is a word that you give to a note.</p>'],
    ['Share', '<p>Only owners can share a folder.</p>'],
    ['See also', '<p>The chapter on <a href=#x>queues</a> explains how they are emptied, and why in this order.</p>'],
    ['Comments', '<p>A comment begins with <code>#</code>.</p><ul><li>It ends with the line.</li></ul>'],
    ['Newsletter', '<div>The town sends a letter to each house in spring.</div>'],
    ['Kommentare', '<p>Sie beginnen mit einem Strich.</p>'],
    ['評論', '<p>註解。</p>'],
  ])('is part of the article if it has sentences, and neither links nor controls: %s', (heading, html) => {
    const markdown = content(`<h2>${heading}</h2>${html}<h2>Functions</h2><p>YY</p>`)
    expect(markdown).toContain(`## ${heading}\n\n`)
    expect(markdown).toContain('\n\n## Functions')
  })
  it.each([
    ['links', '<h2>See also</h2><p>YY is told in <a href=/a>the story of the harbor of the town</a>.</p>'],
    ['a form', '<h2>Newsletter</h2><p>YY, get it by mail.</p><form><input><button>Send</button></form>'],
    ['a name', '<div class=newsletter><h2>Subscribe</h2><p>YY, get it by mail.</p></div>'],
    ['no sentence', '<h2>Tags</h2><p>YY</p>'],
  ])('is dropped if it has %s', (_evidence, html) => {
    expect(content(`${html}<h2>Method</h2><p>XX</p>`)).not.toContain('YY')
  })
  it('leaves the names of columns', () => {
    expect(content('<table><tr><th>Share<th>Comments<tr><td>12<td>30</table>')).toContain('| Share | Comments |')
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
