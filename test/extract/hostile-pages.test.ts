import { describe, expect, it } from 'vitest'
import { extractTimeoutMs } from '../../extract/extract-limits.ts'
import { extractPage } from '../../extract/extract-page.ts'
import { processorMs } from '../processor-time.ts'

const lorem = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit. '.repeat(6)
const article = `<article><h1>T</h1>${`<p>${lorem}</p>`.repeat(8)}</article>`

const markdownOf = (html: string) =>
  extractPage(html, { url: 'https://a.example/x', contentType: 'text/html' }).markdown

const shapes = Object.entries({
  '100,000 nested tags': () => `${'<div class="a b">'.repeat(100_000)}${article}`,
  '100,000 nested tags that all end': () => `${'<div>'.repeat(100_000)}${article}${'</div>'.repeat(100_000)}`,
  'a million <': () => article + '<'.repeat(1_000_000),
  '100,000 unclosed inline tags': () => article + '<b><i>'.repeat(50_000),
  '80,000 unclosed meta tags': () => '<meta '.repeat(80_000) + article,
  '80,000 meta tags': () => Array.from({ length: 80_000 }, (_, i) => `<meta name=n${i} content=v>`).join('') + article,
  '20,000 nested lists': () => article + '<ul><li>'.repeat(20_000),
  '20,000 nested quotes': () => article + '<blockquote>'.repeat(20_000),
  '2,000 nested tables': () => article + '<table><tr><td>'.repeat(2000),
  '20,000 misnested links': () => article + '<a href=x><b><div>'.repeat(20_000),
  '500,000 stray end tags below 500 open ones': () =>
    `${article}<div><table><tr><td>${'<span>'.repeat(500)}${'</div></b></i>'.repeat(170_000)}`,
  'an attribute of 5 MB': () => `${article}<div class="${'y'.repeat(5_000_000)}">z</div>`,
  '100,000 attributes': () =>
    `${article}<div ${Array.from({ length: 100_000 }, (_, i) => `a${i}=b`).join(' ')}>z</div>`,
  'a million NULs': () => article + '\0'.repeat(1_000_000),
  'a million lone surrogates': () => article + '\ud800'.repeat(1_000_000),
  '200,000 line breaks': () => `${article}<div>${'a<br>'.repeat(200_000)}</div>`,
  '100,000 cells': () => `${article}<table>${`<tr>${'<td>1'.repeat(10)}`.repeat(10_000)}</table>`,
  '5 MB of spaces': () => `${article}<p>x${' '.repeat(5_000_000)}y`,
  '50,000 bylines deep down': () =>
    `${article}${'<div class="a b c">'.repeat(500)}${'<b class=author itemprop=author>x</b>'.repeat(50_000)}`,
  '50,000 dates deep down': () =>
    `${article}${'<div class="a b c">'.repeat(500)}${'<time datetime=x>1 Jan 20</time> in 2020 <i class=date>2020</i>'.repeat(50_000)}`,
  '100,000 levels of JSON-LD': () =>
    `<script type="application/ld+json">${'{"a":['.repeat(100_000)}</script>${article}`,
  '500,000 entities': () => `${article}<p>${'&amp;&#65;&notit; '.repeat(170_000)}`,
  '100,000 options': () => `${article}<select>${'<option>x'.repeat(100_000)}`,
  'one word of 5 MB': () => `${article}<p>${'a'.repeat(5_000_000)}`,
})

describe('a hostile page', () => {
  it.each(shapes)('of %s is extracted within the time limit', (_shape, build) => {
    const html = build()
    let markdown = ''
    const ms = processorMs(() => {
      markdown = markdownOf(html)
    })
    expect(ms).toBeLessThan(extractTimeoutMs('html'))
    expect(markdown === '').toBe(false)
  })

  it('takes time linear in its size', () => {
    const at = (count: number) => processorMs(() => markdownOf(article + '<div><p>a, b<a href=/x>c</a>'.repeat(count)))
    at(5000)
    expect(at(40_000)).toBeLessThan(Math.max(2000, at(10_000) * 16))
  })
})
