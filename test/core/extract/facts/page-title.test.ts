import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../../core/extract/extract-page.ts'

const titleOf = (html: string, url = 'https://docs.example/guide/ch04.html') =>
  extractPage(html, { url, contentType: 'text/html' }).title
const titleOfMarkdown = (body: string) =>
  extractPage(body, { url: 'https://code.example/README.md', contentType: 'text/markdown' }).title

/** A page as mdBook makes it: the name of the book is a heading of level 1 in the menu bar. */
function bookPage({ title, content, book = 'The Example Book' }: { title: string; content: string; book?: string }) {
  return (
    `<title>${title}</title><nav id=sidebar><ol><li><a href=ch01.html>One</a></ol></nav>` +
    `<div id=menu-bar><h1 class=menu-title>${book}</h1></div><main>${content}<p>Some text about it.</p></main>`
  )
}

describe('the title of a page of a manual', () => {
  it.each([
    ['is its own heading, not the name of the book in the menu bar', 'Owners - The Example Book', '<h1>Owners</h1>'],
    ['is its own heading where <title> has other words for the page', 'FFI - The Example Book', '<h1>Owners</h1>'],
    ['is its own heading of level 2', 'Owners and Users - The Example Book', '<h2>Owners and Users</h2>'],
  ])('%s', (_rule, title, content) => {
    expect(titleOf(bookPage({ title, content }))).toBe(/<h\d>(.*)<\/h\d>/.exec(content)?.[1])
  })

  it('is the name of the book on the page that has no other heading', () => {
    expect(titleOf(bookPage({ title: 'The Example Book', content: '' }))).toBe('The Example Book')
  })

  it('is the heading above the main part if that heading begins <title>', () => {
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
  ])('is its own heading, without pictures, on a page by %s', (_tool, html) => {
    expect(titleOf(html)).toBe('Owners')
  })

  it('has no separator at either end', () => {
    expect(titleOf('<title>| Gas prices</title><p>x')).toBe('Gas prices')
    expect(titleOf('<title>Train times -</title><p>x')).toBe('Train times')
  })
})

describe('the title of a markdown page', () => {
  it.each([
    ['leaves out badges', '# [![Build Status](https://ci.example/b.svg)](https://ci.example) Owners'],
    ['is not a heading of badges alone', '# [![Build Status](b.svg)](c) ![Coverage][cov]\n\n# Owners'],
    ['leaves out logos', '# ![Logo](logo.png) Owners #'],
    ['is the text of a link', '# [Owners](https://owners.example)'],
    [
      'is a heading written as HTML',
      '<h1 align="center">\n<img src=l.png alt="Logo"><br>\nOwners\n</h1>\n\n## Install',
    ],
  ])('%s', (_rule, body) => {
    expect(titleOfMarkdown(body)).toBe('Owners')
  })

  it('takes time linear in a heading of brackets', () => {
    const started = process.cpuUsage()
    titleOfMarkdown(`# ${'![['.repeat(30_000)}\n\n${'<h1 '.repeat(30_000)}`)
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000)
  })
})
