import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../../core/extract/extract-page.ts'

const page = (html: string, url = 'https://www.example.com/dir/x') =>
  extractPage(html, { url, contentType: 'text/html' })
const jsonLd = (text: string) => `<script type="application/ld+json">${text}</script>`

const post = (name: string) => `<div itemscope><b itemprop=author>${name}</b></div>`

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
    [
      'the heading that puts the title in other words',
      '<title>The best trails in Houston for bikes | City</title><h1>Best bike trails in Houston</h1>',
      'Best bike trails in Houston',
    ],
    [
      'the second-level heading that is a part of the title, not the first-level one with the name of the book',
      '<title>Errors with Result - The Book</title><h1 class=menu>The Book</h1><h2>Errors with Result</h2>',
      'Errors with Result',
    ],
    [
      'never a heading of a sideline',
      '<title>Where to ride in Houston today</title><aside><h1>Houston today</h1></aside><p>x',
      'Where to ride in Houston today',
    ],
    [
      'never a heading that leads to the front page, which names the site',
      '<title>The Shed: How to fix a roof</title><h1><a href="/">The Shed</a></h1><h3>How to fix a roof</h3>',
      'How to fix a roof',
    ],
    [
      'that of a meta element with several properties',
      '<meta property="x:y og:title" content="Long story">',
      'Long story',
    ],
    [
      'the heading of a signed page, whatever it declares',
      '<meta name=author content="Ada Blau"><title>15 ways home</title><h1>How we came back from the north</h1>',
      'How we came back from the north',
    ],
    [
      'the title of a page that nobody signed, not its slogan',
      '<title>Small business accounting</title><h1>Numbers that keep you organised</h1>',
      'Small business accounting',
    ],
    [
      'the title of an unsigned page before a heading that shares half of its words',
      '<title>Trail shoes: all models</title><h1>158 trail shoes all here</h1>',
      'Trail shoes: all models',
    ],
    [
      'the heading although og:site_name repeats the title',
      '<meta property=og:site_name content="How to sail: a guide | Clay"><title>How to sail: a guide | Clay</title>' +
        '<h1>How to sail: a guide</h1><h2>How to sail</h2>',
      'How to sail: a guide',
    ],
    [
      'the heading in a box that holds the main part, whatever its name',
      '<meta name=author content="Ada Blau"><title>Food of 2026</title><div class=content-sidebar-wrap><main><h1>Nine meals compared</h1></main></div>' +
        `${'<i></i>'.repeat(20)}`,
      'Nine meals compared',
    ],
    ['the title without the address of its site', '<title>example.com Vibrant code</title>', 'Vibrant code'],
    [
      'what was escaped twice',
      '<meta property=og:title content="Cats &amp;amp; dogs &amp;#x26; 1 &lt; 2">',
      'Cats & dogs & 1 < 2',
    ],
    ['a heading that ends in a sign of its own', '<title>Learn C#</title><h1>Learn C#</h1>', 'Learn C#'],
    ['a heading without its anchor sign', '<title>Advanced usage</title><h1>Advanced usage ¶</h1>', 'Advanced usage'],
    ['what stands before a bar', '<title>Trekking Backpack 40L | Light and strong</title>', 'Trekking Backpack 40L'],
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
    [
      'the JSON-LD item that the article refers to',
      jsonLd('{"@graph":[{"@type":"Article","author":{"@id":"#a"}},{"@type":"Person","@id":"#a","name":"Ann Lee"}]}'),
      'Ann Lee',
    ],
    ['meta', '<meta name=author content="By Ann Lee">', 'Ann Lee'],
    [
      'the label that WordPress writes for cards',
      '<meta name=twitter:label1 content="Written by"><meta name=twitter:data1 content="Ann Lee">',
      'Ann Lee',
    ],
    [
      'a byline, rather than the site itself',
      '<meta property=og:site_name content="The Daily"><meta name=author content="The Daily"><p class=byline>By Ann Lee</p>',
      'Ann Lee',
    ],
    [
      'a byline, rather than a user name',
      '<meta name=author content="annlee7"><p class=byline>By Ann Lee</p>',
      'Ann Lee',
    ],
    [
      'the site itself where nobody else is named',
      '<meta property=og:site_name content="The Daily"><meta name=author content="The Daily">',
      'The Daily',
    ],
    ['the first of several microdata items', post('Ann Lee') + post('Bo Ray'), 'Ann Lee'],
    ['the links of a byline, not the roles beside them', '<p class=byline><a>Ann Lee</a> Gardener</p>', 'Ann Lee'],
    ['a link to a page of the author', '<h1>T</h1><a href="/authors/ann-lee">Ann Lee</a>', 'Ann Lee'],
    ['an element after By', '<h1>T</h1><p>By <a href=/x>Ann Lee</a>', 'Ann Lee'],
    ['the line of the date', '<h1>T</h1><p>Ann Lee | Senior Writer | July 2, 2025', 'Ann Lee'],
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
  it.each([
    ['Ann Lee December 18, 2025', 'Ann Lee'],
    ['Ann Lee 2022-11-23T08:10', 'Ann Lee'],
    ['Recipe by Ann Lee', 'Ann Lee'],
    ['View all posts by Ann Lee', 'Ann Lee'],
    ['Ann Lee, MD. Reviewed by Bo Ray', 'Ann Lee, MD'],
    ['Christoph von Ritter', 'Christoph von Ritter'],
  ])('reads %j as %j', (written, name) => {
    expect(page(`<meta name=author content="${written}">`).author).toBe(name)
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
    expect(page(jsonLd(JSON.stringify(Array.from({ length: 80 }, (_, i) => ({ '@type': 'A', i }))))).data.length).toBe(
      50,
    )
    const big = { '@type': 'A', x: 'y'.repeat(100 * 1024) }
    expect(page(jsonLd(JSON.stringify([1, 2, 3].map(i => ({ ...big, i }))))).data.length).toBe(2)
  })
})

describe('declarations', () => {
  it('name the picture of the page', () => {
    expect(page('<meta property=og:image content=/a.png>').image).toBe('https://www.example.com/a.png')
    expect(page(jsonLd('{"@type":"Article","image":[{"url":"b.png"}]}')).image).toBe(
      'https://www.example.com/dir/b.png',
    )
    expect('image' in page('<img src=a.png>')).toBe(false)
  })

  it.each([
    [true, jsonLd('{"@type":"NewsArticle","isAccessibleForFree":"False"}')],
    [true, jsonLd('{"@type":"NewsArticle","isAccessibleForFree":false}')],
    [true, '<meta property="article:content_tier" content="metered">'],
    [false, jsonLd('{"@type":"NewsArticle","isAccessibleForFree":true}')],
    [undefined, '<p>x'],
  ])('tell whether the text must be paid for: %s', (expected, html) => {
    expect(page(html).isPaywalled).toBe(expected)
  })

  it('tell what robots may do', () => {
    const robots = (content: string) => page(`<meta name=robots content="${content}">`).robots
    expect(robots('index, follow')).toEqual({ noindex: false, nofollow: false })
    expect(robots('NONE, noarchive')).toEqual({ noindex: true, nofollow: true, noarchive: true })
    expect(robots('max-snippet:0, noimageindex')).toEqual({
      noindex: false,
      nofollow: false,
      nosnippet: true,
      noimageindex: true,
      maxSnippet: 0,
    })
    expect(robots('unavailable_after: 2027-01-02').unavailableAfter).toBe('2027-01-02')
  })
})
