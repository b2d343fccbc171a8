import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const page = (html: string) => extractPage(html, { url: 'https://www.example.com/dir/x', contentType: 'text/html' })

describe('pageLinks', () => {
  it('returns absolute http(s) URLs without fragment, each once with its first text, in page order', () => {
    const html =
      '<a href="/b#x"><img></a><a href="../c">C</a><a href="/b">B</a><a href="mailto:x@y">m</a><a href="#t">t</a><a href="http://[">bad</a>'
    expect(page(html).links).toEqual([
      { url: 'https://www.example.com/b', text: 'B', nofollow: false },
      { url: 'https://www.example.com/c', text: 'C', nofollow: false },
    ])
  })
  it('resolves URLs by the first base element that has one', () => {
    expect(page('<base target=_top><base href=/z/><base href=/y/><a href=a>a</a>').links[0]?.url).toBe(
      'https://www.example.com/z/a',
    )
  })
  it('returns the pages of a frameset', () => {
    expect(page('<frameset><frame src="menu.html"><frame src="/text"></frameset>').links.map(({ url }) => url)).toEqual(
      ['https://www.example.com/dir/menu.html', 'https://www.example.com/text'],
    )
  })
  it('reads the types of pages that servers make as HTML', () => {
    for (const contentType of ['text/php', 'text/x-server-parsed-html; charset=utf-8'])
      expect(extractPage('<a href=/a>a</a>', { url: 'https://a.example/x', contentType }).links).toHaveLength(1)
  })
  it('marks a URL as nofollow if all its links are nofollow, ugc or sponsored', () => {
    const html =
      '<a href=/a rel="noopener nofollow">a</a><a href=/b rel=ugc>b</a><a href=/c rel=sponsored>c</a><a href=/c>c</a>'
    expect(page(html).links.map(link => link.nofollow)).toEqual([true, true, false])
  })
  it('returns at most 5,000 links', () => {
    expect(page(Array.from({ length: 6000 }, (_, i) => `<a href=/${i}>x</a>`).join('')).links.length).toBe(5000)
  })
})
