import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const page = (html: string) => extractPage(html, { url: 'https://www.example.com/dir/x', contentType: 'text/html' })
const jsonLd = (text: string) => `<script type="application/ld+json">${text}</script>`

describe('the declarations of a page', () => {
  it('include the language of html, or else of meta, or else of og:locale, in its usual case', () => {
    expect(page('<html lang=pt-br>x').lang).toBe('pt-BR')
    expect(page('<meta http-equiv=content-language content="DE, en">').lang).toBe('de')
    expect(page('<meta property=og:locale content=fr_FR>').lang).toBe('fr-FR')
    expect(page('<html lang="{{lang}}">x').lang).toBeUndefined()
  })
  it('include an absolute canonical URL without fragment, http(s) only', () => {
    expect(page('<link rel=canonical href="/a#b">').canonicalUrl).toBe('https://www.example.com/a')
    expect(page('<base href="https://b.example/"><link rel="canonical" href="a">').canonicalUrl).toBe(
      'https://b.example/a',
    )
    expect(page('<link rel=canonical href="javascript:x()">').canonicalUrl).toBeUndefined()
  })
  it('include an address only from the head, as an HTML parser sees it', () => {
    const real = '<link rel=canonical href=/real>'
    const address = 'https://www.example.com/real'
    for (const html of [
      `<title>x</title>${real}<p>text`,
      `<html><head><script>a()</script><noscript><img src=/pixel></noscript>${real}</head><body>text`,
      `<head></head>\n${real}<body>text`,
      `<head><style>p {}</style><LINK HREF=/real REL="alternate CANONICAL"></head>`,
      `<head><meta property=og:url content=" /real "></head>`,
    ])
      expect(page(html).canonicalUrl).toBe(address)
    for (const html of [
      `<head><title>x</title></head><body>${real}<p>text`,
      `<head><title>x</title><div>text</div>${real}</head>`,
      `<head><title>x</title>text${real}</head>`,
      `<p>text${real}`,
      `<head><noscript>${real}</noscript></head>`,
      `<head><template>${real}</template></head>`,
      `<body><p>text<meta property=og:url content=/real>`,
    ])
      expect(page(html).canonicalUrl).toBeUndefined()
  })
  it('include noindex and nofollow', () => {
    expect(page('<meta name=ROBOTS content="NOINDEX, follow">').robots).toEqual({ noindex: true, nofollow: false })
    expect(page('<meta name=robots content=none>').robots).toEqual({ noindex: true, nofollow: true })
    expect(page('<p>x').robots).toEqual({ noindex: false, nofollow: false })
  })
  it('include description and site name', () => {
    const { description, siteName } = page(
      '<meta name=description content=" a  b "><meta property=og:site_name content=S>',
    )
    expect([description, siteName]).toEqual(['a b', 'S'])
  })

  it('include the image of the page', () => {
    expect(page('<meta property=og:image content=/a.png>').image).toBe('https://www.example.com/a.png')
    expect(page(jsonLd('{"@type":"Article","image":[{"url":"b.png"}]}')).image).toBe(
      'https://www.example.com/dir/b.png',
    )
    expect(page('<img src=a.png>').image).toBeUndefined()
  })

  it.each([
    [true, jsonLd('{"@type":"NewsArticle","isAccessibleForFree":"False"}')],
    [true, jsonLd('{"@type":"NewsArticle","isAccessibleForFree":false}')],
    [true, '<meta property="article:content_tier" content="metered">'],
    [false, jsonLd('{"@type":"NewsArticle","isAccessibleForFree":true}')],
    [undefined, '<p>x'],
  ])('include if the page is behind a paywall: %s', (expected, html) => {
    expect(page(html).isPaywalled).toBe(expected)
  })

  it('include all robots directives', () => {
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
