import { expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const alternatesOf = (head: string) =>
  extractPage(`<html><head>${head}</head><body><p>Words.</p></body></html>`, { url: 'https://a.org/en/' }).alternates

it('lists the absolute URLs of the page in other languages, each once', () => {
  expect(
    alternatesOf(`
      <link rel="alternate" hreflang="de" href="../de/#top"><link rel="ALTERNATE" hreflang="de-AT" href="/de/">
      <link hreflang="x-default" rel="nofollow alternate" href="https://b.org/">`),
  ).toEqual(['https://a.org/de/', 'https://b.org/'])
})

it('lists no feeds, style sheets or URLs that are not http(s)', () => {
  expect(
    alternatesOf(`
      <link rel="alternate" type="application/rss+xml" href="/feed"><link rel="stylesheet" hreflang="de" href="/css">
      <link rel="alternate" hreflang="" href="/none"><link rel="alternate" hreflang="fr" href="javascript:void(0)">`),
  ).toBeUndefined()
})

it('lists at most 100 URLs', () => {
  const links = Array.from({ length: 150 }, (_, i) => `<link rel="alternate" hreflang="de" href="/${i}">`)
  expect(alternatesOf(links.join(''))).toHaveLength(100)
})
