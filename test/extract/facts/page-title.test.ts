import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const titleOf = (html: string, url = 'https://docs.example/guide/ch04.html') =>
  extractPage(html, { url, contentType: 'text/html' }).title
const titleOfMarkdown = (body: string) =>
  extractPage(body, { url: 'https://code.example/README.md', contentType: 'text/markdown' }).title

/** A page as mdBook makes it, with the name of the book in a heading of level 1 in the menu bar. */
function bookPage({ title, content, book = 'The Example Book' }: { title: string; content: string; book?: string }) {
  return (
    `<title>${title}</title><nav id=sidebar><ol><li><a href=ch01.html>One</a></ol></nav>` +
    `<div id=menu-bar><h1 class=menu-title>${book}</h1></div><main>${content}<p>Some text about it.</p></main>`
  )
}

const exampleUrl = 'https://www.example.com/dir/x'

describe('the title of a page', () => {
  it.each([
    [
      'the heading if the title contains it',
      '<title>A fine day out | Example</title><h1>A fine day out</h1>',
      'A fine day out',
    ],
    [
      'the title without the site name in og:site_name',
      '<meta property=og:site_name content="The Daily"><title>A fine day - The Daily</title>',
      'A fine day',
    ],
    ['the title without a site name that is part of the host', '<title>A fine day — Example</title>', 'A fine day'],
    [
      'the whole title if nothing shows that a part is the site name',
      '<title>Cats - Dogs</title><h1>Pets</h1>',
      'Cats - Dogs',
    ],
    ['og:title rather than <title>', '<meta property=og:title content="Long story"><title>Short</title>', 'Long story'],
    [
      'the heading with the title in other words',
      '<title>The best trails in Houston for bikes | City</title><h1>Best bike trails in Houston</h1>',
      'Best bike trails in Houston',
    ],
    [
      'the second-level heading that is a part of the title, not the first-level one with the name of the book',
      '<title>Errors with Result - The Book</title><h1 class=menu>The Book</h1><h2>Errors with Result</h2>',
      'Errors with Result',
    ],
    [
      'not a heading in boilerplate',
      '<title>Where to ride in Houston today</title><aside><h1>Houston today</h1></aside><p>x',
      'Where to ride in Houston today',
    ],
    [
      'not a heading with a link to the home page, which names the site',
      '<title>The Shed: How to fix a roof</title><h1><a href="/">The Shed</a></h1><h3>How to fix a roof</h3>',
      'How to fix a roof',
    ],
    [
      'the content of a meta element with several properties',
      '<meta property="x:y og:title" content="Long story">',
      'Long story',
    ],
    [
      'the heading of a page with an author, whatever it declares',
      '<meta name=author content="Ada Blau"><title>15 ways home</title><h1>How we came back from the north</h1>',
      'How we came back from the north',
    ],
    [
      'the title of a page without an author, not its slogan',
      '<title>Small business accounting</title><h1>Numbers that keep you organized</h1>',
      'Small business accounting',
    ],
    [
      'the title of a page without an author, not a heading with half of its words',
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
      'the heading in the box of the main part, whatever its name',
      '<meta name=author content="Ada Blau"><title>Food of 2026</title><div class=content-sidebar-wrap><main><h1>Nine meals compared</h1></main></div>' +
        `${'<i></i>'.repeat(20)}`,
      'Nine meals compared',
    ],
    ['the title without the host of the site', '<title>example.com Vibrant code</title>', 'Vibrant code'],
    [
      'decoded if it was escaped twice',
      '<meta property=og:title content="Cats &amp;amp; dogs &amp;#x26; 1 &lt; 2">',
      'Cats & dogs & 1 < 2',
    ],
    ['a heading that ends in a sign of its own', '<title>Learn C#</title><h1>Learn C#</h1>', 'Learn C#'],
    ['a heading without its anchor sign', '<title>Advanced usage</title><h1>Advanced usage ¶</h1>', 'Advanced usage'],
    ['the part before a bar', '<title>Trekking Backpack 40L | Light and strong</title>', 'Trekking Backpack 40L'],
    ['the heading if there is nothing else', '<h1>Only <b>this</b></h1>', 'Only this'],
  ])('is %s', (_rule, html, expected) => {
    expect(titleOf(html, exampleUrl)).toBe(expected)
  })
  it('is absent if the page has none', () => {
    expect(titleOf('<p>x')).toBeUndefined()
  })
})

describe('the title of a page of a manual', () => {
  it.each([
    ['is its own heading, not the name of the book in the menu bar', 'Owners - The Example Book', '<h1>Owners</h1>'],
    ['is its own heading if <title> has other words for the page', 'FFI - The Example Book', '<h1>Owners</h1>'],
    ['is its own heading of level 2', 'Owners and Users - The Example Book', '<h2>Owners and Users</h2>'],
  ])('%s', (_rule, title, content) => {
    expect(titleOf(bookPage({ title, content }))).toBe(/<h\d>(.*)<\/h\d>/.exec(content)?.[1])
  })

  it('is the name of the book on a page without another heading', () => {
    expect(titleOf(bookPage({ title: 'The Example Book', content: '' }))).toBe('The Example Book')
  })

  it('is the heading above the main part if <title> starts with it', () => {
    const html = '<title>A day at sea | The Coast</title><h1>A day at sea</h1><main><h2>The Coast</h2><p>x</p></main>'
    expect(titleOf(html)).toBe('A day at sea')
  })

  it.each([
    [
      'Sphinx',
      '<title>Owners — Example 1.0 documentation</title><div class=sphinxsidebar><h1 class=logo><a href="../index.html">' +
        'Example</a></h1></div><div role=main><h1>Owners<a class=headerlink href="#owners">¶</a></h1><p>x</p></div>',
    ],
    [
      'Docusaurus',
      '<title>Owners | Example</title><nav class=navbar><b class=navbar__title>Example</b></nav>' +
        '<main><article><header><h1>Owners</h1></header><p>x</p></article></main>',
    ],
    [
      'a repository',
      '<title>Owners · Ann</title><header><h1><img alt="Code host" src=l.svg></h1></header>' +
        '<main><article class=markdown-body><h1><a href="https://ci.example"><img alt="Build Status" src=b.svg></a> Owners</h1>' +
        '<p>x</p></article></main>',
    ],
  ])('is its own heading, without images, on a page by %s', (_tool, html) => {
    expect(titleOf(html)).toBe('Owners')
  })

  it('has no separator at its ends', () => {
    expect(titleOf('<title>| Gas prices</title><p>x')).toBe('Gas prices')
    expect(titleOf('<title>Train times -</title><p>x')).toBe('Train times')
  })
})

describe('the title of a Markdown page', () => {
  it.each([
    ['leaves out badges', '# [![Build Status](https://ci.example/b.svg)](https://ci.example) Owners'],
    ['is not a heading that consists of badges', '# [![Build Status](b.svg)](c) ![Coverage][cov]\n\n# Owners'],
    ['leaves out logos', '# ![Logo](logo.png) Owners #'],
    ['is the text of a link', '# [Owners](https://owners.example)'],
    [
      'is a heading written as HTML',
      '<h1 align="center">\n<img src=l.png alt="Logo"><br>\nOwners\n</h1>\n\n## Install',
    ],
  ])('%s', (_rule, body) => {
    expect(titleOfMarkdown(body)).toBe('Owners')
  })

  it('takes linear time for a heading of brackets', () => {
    const started = process.cpuUsage()
    titleOfMarkdown(`# ${'![['.repeat(30_000)}\n\n${'<h1 '.repeat(30_000)}`)
    expect(process.cpuUsage(started).user).toBeLessThan(20_000_000)
  })
})
