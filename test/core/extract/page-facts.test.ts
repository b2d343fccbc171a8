import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../core/extract/extract-page.ts'

const page = (html: string, url = 'https://www.example.com/dir/x') =>
  extractPage(html, { url, contentType: 'text/html' })
const jsonLd = (text: string) => `<script type="application/ld+json">${text}</script>`

describe('title', () => {
  it.each([
    [
      'the heading when the title holds it',
      '<title>A fine day out | Example</title><h1>A fine day out</h1>',
      'A fine day out',
    ],
    [
      'the title without a site name that og:site_name proves',
      '<meta property=og:site_name content="The Daily"><title>A fine day - The Daily</title>',
      'A fine day',
    ],
    ['the title without a site name that the host proves', '<title>A fine day — Example</title>', 'A fine day'],
    ['the whole title when nothing proves a site name', '<title>Cats - Dogs</title><h1>Pets</h1>', 'Cats - Dogs'],
    ['og:title before the title', '<meta property=og:title content="Long story"><title>Short</title>', 'Long story'],
    ['the heading when there is nothing else', '<h1>Only <b>this</b></h1>', 'Only this'],
  ])('is %s', (_rule, html, expected) => {
    expect(page(html).title).toBe(expected)
  })
  it('is absent on a page without one', () => {
    expect('title' in page('<p>x')).toBe(false)
  })
})

describe('author', () => {
  it.each([
    [
      'JSON-LD of the article',
      jsonLd('{"@type":"Article","author":[{"@type":"Person","name":"Ann Lee"},{"name":"Bo Ray"}]}'),
      'Ann Lee, Bo Ray',
    ],
    ['meta', '<meta name=author content="By Ann Lee">', 'Ann Lee'],
    ['rel=author', '<a rel=author href=/a>Ann Lee</a>', 'Ann Lee'],
    ['microdata', '<span itemprop=author><b itemprop=name>Ann Lee</b> writes</span>', 'Ann Lee'],
    ['a byline', '<p class=byline>By Ann Lee</p>', 'Ann Lee'],
    ['text after By', '<h1>T</h1><p>By Ann Lee</p>', 'Ann Lee'],
  ])('comes from %s', (_rule, html, expected) => {
    expect(page(html).author).toBe(expected)
  })
  it.each(['admin', 'https://facebook.com/x', 'Editor', '@'])('is never %j', name => {
    expect(page(`<meta name=author content="${name}">`).author).toBeUndefined()
  })
  it('is not the author of a comment', () => {
    expect(page('<div class=comments><a rel=author>Troll</a></div>').author).toBeUndefined()
  })
})

describe('declarations', () => {
  it('reads the language of html, else of meta, else of og:locale, in the usual case', () => {
    expect(page('<html lang=pt-br>x').lang).toBe('pt-BR')
    expect(page('<meta http-equiv=content-language content="DE, en">').lang).toBe('de')
    expect(page('<meta property=og:locale content=fr_FR>').lang).toBe('fr-FR')
    expect(page('<html lang="{{lang}}">x').lang).toBeUndefined()
  })
  it('makes the canonical URL absolute, without fragment, http(s) only', () => {
    expect(page('<link rel=canonical href="/a#b">').canonicalUrl).toBe('https://www.example.com/a')
    expect(page('<base href="https://b.example/"><link rel="canonical" href="a">').canonicalUrl).toBe(
      'https://b.example/a',
    )
    expect(page('<link rel=canonical href="javascript:x()">').canonicalUrl).toBeUndefined()
  })
  it('reads robots directives', () => {
    expect(page('<meta name=ROBOTS content="NOINDEX, follow">').robots).toEqual({ noindex: true, nofollow: false })
    expect(page('<meta name=robots content=none>').robots).toEqual({ noindex: true, nofollow: true })
    expect(page('<p>x').robots).toEqual({ noindex: false, nofollow: false })
  })
  it('reads description and site name', () => {
    const { description, siteName } = page(
      '<meta name=description content=" a  b "><meta property=og:site_name content=S>',
    )
    expect([description, siteName]).toEqual(['a b', 'S'])
  })
})

describe('links', () => {
  it('are absolute, http(s), without fragment, each once, with their first text, in page order', () => {
    const html =
      '<a href="/b#x"><img></a><a href="../c">C</a><a href="/b">B</a><a href="mailto:x@y">m</a><a href="#t">t</a><a href="http://[">bad</a>'
    expect(page(html).links).toEqual([
      { url: 'https://www.example.com/b', text: 'B', nofollow: false },
      { url: 'https://www.example.com/c', text: 'C', nofollow: false },
    ])
  })
  it('respect the first base element that has an address', () => {
    expect(page('<base target=_top><base href=/z/><base href=/y/><a href=a>a</a>').links[0].url).toBe(
      'https://www.example.com/z/a',
    )
  })
  it('are nofollow when every one of a URL is nofollow, ugc or sponsored', () => {
    const html =
      '<a href=/a rel="noopener nofollow">a</a><a href=/b rel=ugc>b</a><a href=/c rel=sponsored>c</a><a href=/c>c</a>'
    expect(page(html).links.map(link => link.nofollow)).toEqual([true, true, false])
  })
  it('are at most 5,000', () => {
    expect(page(Array.from({ length: 6000 }, (_, i) => `<a href=/${i}>x</a>`).join('')).links.length).toBe(5000)
  })
})

describe('data', () => {
  it('takes arrays and @graph apart', () => {
    const html = jsonLd('[{"@type":"A"},{"@graph":[{"@type":"B"},[{"@type":"C"}]]}]')
    expect(page(html).data).toEqual([{ '@type': 'A' }, { '@type': 'B' }, { '@type': 'C' }])
  })
  it('passes over what does not parse and keeps the rest', () => {
    const html =
      jsonLd('{"@type":') + jsonLd('{"@type":"A","n":"line\nbreak"}') + jsonLd('/*<![CDATA[*/{"@type":"B"}/*]]>*/')
    expect(page(html).data).toEqual([{ '@type': 'A', n: 'line break' }, { '@type': 'B' }])
  })
  it('passes over values nested past 64 levels', () => {
    expect(page(jsonLd(`{"@type":"A","x":${'['.repeat(70)}${']'.repeat(70)}}`)).data).toEqual([])
  })
  it('is at most 50 items and 256 KiB', () => {
    expect(page(jsonLd(JSON.stringify(Array(80).fill({ '@type': 'A' })))).data.length).toBe(50)
    const big = { '@type': 'A', x: 'y'.repeat(100 * 1024) }
    expect(page(jsonLd(JSON.stringify([big, big, big]))).data.length).toBe(2)
  })
})
