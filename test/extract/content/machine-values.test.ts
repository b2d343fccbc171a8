import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const content = (html: string) =>
  extractPage(html, { url: 'https://paper.example/flood', contentType: 'text/html' }).markdown
const story = `<p>${'The river rose by another meter during the night, the mayor said on Tuesday. '.repeat(9)}</p>`

describe('isMachineValue', () => {
  it('leaves out microdata that is a URL or describes an image', () => {
    const logo = '<div itemprop=logo itemscope><div itemprop=url>https://paper.example/logo.png</div></div>'
    const data =
      '<div itemprop=image>https://paper.example/flood</div>' +
      `<div itemprop=publisher itemscope><div itemprop=name>The Evening Paper</div>${logo}</div>`
    const markdown = content(`<article>${story}<span>${data}</span></article>`)
    expect(markdown).toContain('The river rose')
    expect(markdown).not.toMatch(/https:|Evening Paper/)
  })

  it('keeps microdata with a link or a paragraph, and URLs outside of microdata', () => {
    const linked = '<div itemprop=url><a href="/x">https://paper.example/linked</a> tells more of it</div>'
    const written =
      '<div itemprop=text><p>https://paper.example/written.png</p></div><div>https://paper.example/plain</div>'
    const markdown = content(`<article>${story}${linked}${written}</article>`)
    for (const word of ['linked', 'written', 'plain']) expect(markdown).toContain(word)
  })
})
