import { describe, expect, it } from 'vitest'
import { extractPage } from '../../extract/extract-page.ts'

const read = (body: string) => extractPage(body, { url: 'https://a.example/feed', contentType: 'application/xml' })

describe('extractFeed', () => {
  it('lists the items of an RSS feed with link, day and summary', () => {
    const page =
      read(`<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title><link>https://a.example/</link>
      <description>All of it</description><pubDate>Sun, 31 May 2020 10:20:30 GMT</pubDate>
      <item><title>One</title><link>/1</link><pubDate>Sat, 30 May 2020 09:00:00 GMT</pubDate><description><![CDATA[<p>Said <b>so</b></p>]]></description></item>
      <item><title>Two [x]</title><link>https://b.example/2#f</link></item></channel></rss>`)
    expect(page.title).toBe('News & more')
    expect(page.description).toBe('All of it')
    expect([page.publishedAt, page.publishedFrom]).toEqual([
      '2020-05-31T10:20:30Z',
      { source: 'feed', precision: 'second' },
    ])
    expect(page.markdown).toBe(
      'All of it\n\n- [One](https://a.example/1) — 2020-05-30: Said **so**\n- [Two \\[x\\]](https://b.example/2#f)',
    )
    expect(page.links).toEqual([
      { url: 'https://a.example/1', text: 'One', nofollow: false },
      { url: 'https://b.example/2', text: 'Two [x]', nofollow: false },
    ])
  })

  it('lists entries by what they have: content, or a title and description of another vocabulary', () => {
    const atom = `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>T</a:title><a:entry><a:content type="xhtml"><div><p>One</p><script>track()</script><p>two</p></div></a:content></a:entry></a:feed>`
    expect(read(atom)).toMatchObject({ title: 'T', markdown: '- One two' })
    const rss = `<rss xmlns:dc="d" xmlns:media="m"><channel><dc:title>T</dc:title><item><dc:title>One</dc:title><dc:description>Two</dc:description></item><item><media:title>Other</media:title><title>Own</title></item></channel></rss>`
    expect(read(rss)).toMatchObject({ title: 'T', markdown: '- One — Two\n- Own' })
    const rdf = `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:n="http://purl.org/rss/1.0/"><n:channel><n:title>T</n:title></n:channel><n:item><n:title>caf&eacute;</n:title><n:link>/1</n:link></n:item></r:RDF>`
    expect(read(rdf)).toMatchObject({ title: 'T', markdown: '- [café](https://a.example/1)' })
  })
  it('writes titles and texts as readers see them', () => {
    const rss = `<rss><channel><title>A &amp;amp; B</title><item><title>&lt;b&gt;One&lt;/b&gt; &amp;#8217;s 10&lt;sup&gt;6&lt;/sup&gt;</title></item></channel></rss>`
    expect(read(rss)).toMatchObject({ title: 'A & B', markdown: '- One ’s 10⁶' })
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>How to write &amp;amp;</title><entry><title type="xhtml"><div xmlns="x">H<sub>2</sub>O</div></title><summary type="xhtml"><div>10<sup>6</sup> &lt; x<br/>and</div></summary></entry></feed>`
    expect(read(atom)).toMatchObject({ title: 'How to write &amp;', markdown: '- H₂O — 10⁶ < x and' })
    const json = JSON.stringify({
      version: 'https://jsonfeed.org/version/1',
      title: 'T',
      items: [{ title: 'A &amp; B' }],
    })
    expect(extractPage(json, { url: 'https://a.example/f', contentType: 'application/json' }).markdown).toBe('- A & B')
  })
  it('lists the entries of an Atom feed with their alternate links', () => {
    const page =
      read(`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>T</title><link rel="self" href="/feed"/>
      <entry><title type="html">a &lt;b&gt;</title><link rel="enclosure" href="/e"/><link href="/1"/><published>2020-05-31T10:00:00Z</published></entry></feed>`)
    expect([page.title, page.lang]).toEqual(['T', 'de'])
    expect(page.markdown).toBe('- [a \\<b>](https://a.example/1) — 2020-05-31')
  })

  it('takes the address of an item without a link from its guid, unless that is no permanent link', () => {
    const items = [
      '<guid>https://h.example/1</guid>',
      '<guid isPermaLink="false">https://h.example/2</guid>',
      '<link>/3</link><guid>https://h.example/id</guid>',
      '<guid>urn:4</guid>',
    ]
    const page = read(
      `<rss><channel>${items.map((inner, i) => `<item><title>n${i}</title>${inner}</item>`).join('')}</channel></rss>`,
    )
    expect(page.links.map(({ url }) => url)).toEqual(['https://h.example/1', 'https://a.example/3'])
    expect(page.markdown).toContain('- [n0](https://h.example/1)\n- n1\n')
  })

  it('takes the address of an item from a link of Atom, wherever its namespace is declared', () => {
    const page = read(`<rss><channel><title>T</title>
      <x:link xmlns:x="http://www.w3.org/2005/Atom" rel="self" href="/feed"/>
      <item><title>a</title><x:link xmlns:x="http://www.w3.org/2005/Atom" href="/1"/></item>
      <item><title>b</title><link></link><y:link xmlns:y="http://www.w3.org/2005/Atom" rel="alternate" href="/2"/></item>
      <item><title>c</title><y:link rel="enclosure" href="/no"/><link>/3</link></item></channel></rss>`)
    expect(page.links.map(({ url }) => url)).toEqual([
      'https://a.example/1',
      'https://a.example/2',
      'https://a.example/3',
    ])
  })

  it('takes the address of an entry without a link from where its content is', () => {
    const page = read(`<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>
      <entry><title>a</title><content type="text/html" src="/1"/><summary>s</summary></entry>
      <entry><title>b</title><content type="video/mp4" src="/2.mp4"/></entry>
      <entry><title>c</title><link rel="http://www.iana.org/assignments/relation/alternate" href="/3"/><content src="/x"/></entry></feed>`)
    expect(page.markdown).toBe('- [a](https://a.example/1) — s\n- b\n- [c](https://a.example/3)')
  })

  it('lists the items of RSS 1.0 with any prefixes', () => {
    const page =
      read(`<x:RDF xmlns:x="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="http://purl.org/rss/1.0/"><p:channel><p:title>T</p:title></p:channel><p:item x:about="https://b.example/1"><p:title>One</p:title>
      <m:title>no</m:title><d:date>2020-05-31</d:date></p:item><p:item><p:title>Two</p:title><p:link>/2</p:link></p:item></x:RDF>`)
    expect(page.title).toBe('T')
    expect(page.markdown).toBe('- [One](https://b.example/1) — 2020-05-31\n- [Two](https://a.example/2)')
  })

  it('resolves links against xml:base', () => {
    const page = read(`<feed xml:base="https://b.example/x/"><entry><title>a</title><link href="1"/></entry>
      <entry xml:base="y/"><title>b</title><link href="2"/></entry></feed>`)
    expect(page.links.map(({ url }) => url)).toEqual(['https://b.example/x/1', 'https://b.example/x/y/2'])
  })

  it('lists the entries of a feed that is cut off', () => {
    expect(read('<rss><channel><title>T</title><item><title>a</title></item><item><title>b').markdown).toBe('- a\n- b')
  })

  it('reads other XML as text', () => {
    expect(read('<note><to>Tove</to><body>Remember me</body></note>').markdown).toContain('Remember me')
  })
})
