import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const content = (html: string) => extractPage(html, { url: 'https://a.example/x', contentType: 'text/html' }).markdown

describe('footnotes in Markdown', () => {
  it('have references in the text, and notes where the page has them', () => {
    const html =
      '<p>One<sup><a href="#n1">1</a></sup> and two<a class=noteref href="#n2">[2]</a>, one again<sup><a href="#n1">1</a></sup>.</p>' +
      '<ol><li id=n1><p>First note. <a href="#r1">↩</a></p><p>Its end.</p></li><li id=n2>Second.</li></ol>'
    expect(content(html)).toBe(
      'One[^1] and two[^2], one again[^1].\n\n[^1]: First note.\n\n    Its end.\n[^2]: Second.',
    )
  })

  it('are found in pages of Wikipedia', () => {
    const html =
      '<p>One<sup class=reference><a href="#cite_note-1">[1]</a></sup>.</p>' +
      '<ol><li id="cite_note-1"><span class="mw-cite-backlink"><b><a href="#cite_ref-1">^</a></b></span> <span>A book.</span></li></ol>'
    expect(content(html)).toBe('One[^1].\n\n[^1]: A book.')
  })

  it('are found if a link in them is the target, and references that styles raise are apart from their word', () => {
    const html =
      '<p>One.<a class="footnote-anchor" href="#f-1" id=a1>1</a> Two.<a class="footnote-anchor" href="#gone">2</a> Go to <a href="#s1" class=reference>1</a>.</p>' +
      '<div class=footnote><a id="f-1" href="#a1">1</a><div><p>First note.</p></div></div>'
    expect(content(html)).toBe('One.[^1] Two.\\[2\\] Go to 1.\n\n[^1]: First note.')
  })

  it.each([
    ['has no target', '<p>One<sup><a href="#gone">1</a></sup>.'],
    ['leads to an element before it', '<ol><li id=top>Up.</li></ol><p>One<sup><a href="#top">1</a></sup>.'],
    ['is not a number or sign', '<p>One<sup><a href="#n">see below</a></sup>.</p><ul><li id=n>Below.</ul>'],
  ])('do not include a link that %s', (_case, html) => {
    expect(content(html)).not.toContain('[^')
  })
})
