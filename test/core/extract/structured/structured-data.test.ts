import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../../core/extract/extract-page.ts'
import { processorMs } from '../../../processor-time.ts'

const data = (html: string) =>
  extractPage(html, { url: 'https://www.example.com/dir/x', contentType: 'text/html' }).data
const jsonLd = (json: string) => `<script type="application/ld+json">${json}</script>`

describe('the list of structured data', () => {
  it('has one form: no context, names without the address of the vocabulary, plain values', () => {
    const html = jsonLd(
      '{"@context":{"schema":"https://schema.org/"},"@type":["http://schema.org/Product","schema:Thing"],' +
        '"schema:name":[{"@value":"Lamp","@language":"en"}],"https://schema.org/sku":7,"offers":[{"@type":"schema:Offer","price":null}]}',
    )
    expect(data(html)).toEqual([{ '@type': ['Product', 'Thing'], name: 'Lamp', sku: 7, offers: { '@type': 'Offer' } }])
  })

  it('follows references within the page, one step far, and not those that tell how the page is built', () => {
    const html = jsonLd(
      '{"@graph":[{"@type":"Product","name":"Lamp","offers":{"@id":"#o"},"isPartOf":{"@id":"#p"},"brand":{"@id":"#gone"}},' +
        '{"@type":"Offer","@id":"#o","price":9,"seller":{"@id":"#s"}},{"@type":"Organization","@id":"#s","name":"Shop","member":{"@id":"#s"}},' +
        '{"@type":"WebPage","@id":"#p"}]}',
    )
    const [product, offer, shop] = data(html)
    expect(product).toEqual({
      '@type': 'Product',
      name: 'Lamp',
      offers: { '@type': 'Offer', '@id': '#o', price: 9, seller: { '@id': '#s' } },
      isPartOf: { '@id': '#p' },
      brand: { '@id': '#gone' },
    })
    expect(offer.seller).toMatchObject({ name: 'Shop' })
    expect(shop.member).toEqual({ '@id': '#s' })
  })

  it('stays bounded where everything refers to everything', () => {
    const items = Array.from({ length: 200 }, (_, i) => ({
      '@type': 'Thing',
      '@id': `#${i}`,
      text: 'x'.repeat(500),
      about: Array.from({ length: 200 }, (_, j) => ({ '@id': `#${j}` })),
    }))
    expect(JSON.stringify(data(jsonLd(JSON.stringify(items)))).length).toBeLessThan(256 * 1024)
  })

  it('has no item twice', () => {
    const thing = '{"@type":"Thing","name":"a"}'
    expect(data(jsonLd(thing) + jsonLd(`[${thing},{"@type":"Thing","name":"b"}]`))).toHaveLength(2)
  })

  it.each([
    ['trailing commas', '{"@type":"A","n":[1,2,],}'],
    ['comments', '{"@type":"A",/* why */"n":[1,2] // not\n}'],
    ['single quotes', "{'@type':'A','n':[1,2]}"],
    ['names without quotes', '{"@type":"A",n:[1,2]}'],
    ['a missing comma', '{"@type":"A" "n":[1,2]}'],
    ['escaped quotes', '{&quot;@type&quot;:&quot;A&quot;,&quot;n&quot;:[1,2]}'],
  ])('mends JSON with %s', (_what, json) => {
    expect(data(jsonLd(json))).toEqual([{ '@type': 'A', n: [1, 2] }])
  })

  it.each(['hello', '{', '{"a":"'.repeat(2000), `${'['.repeat(100_000)}{"@type":"A"}`, '{"@type":"A"'.repeat(20_000)])(
    'is not harmed by what can not be mended',
    json => {
      const ms = processorMs(() => {
        expect(data(jsonLd(json) + jsonLd('{"@type":"B"}')).at(-1)).toEqual({ '@type': 'B' })
      })
      expect(ms).toBeLessThan(5000)
    },
  )

  it('keeps no name that only objects have', () => {
    const [item] = data(jsonLd('{"@type":"A","__proto__":{"x":1},"schema:__proto__":{"x":1}}'))
    expect(Object.getPrototypeOf(item)).toBe(Object.prototype)
    expect(item).toEqual({ '@type': 'A' })
  })
})

describe('OpenGraph of other things than goods and places', () => {
  const meta = (properties: Record<string, string>) =>
    Object.entries(properties)
      .map(([property, content]) => `<meta property="${property}" content="${content}">`)
      .join('')

  it.each([
    [
      { 'og:type': 'article', 'article:published_time': '2024-05-01', 'og:url': 'https://www.example.com/n' },
      { '@type': 'Article', headline: 'T', datePublished: '2024-05-01', url: 'https://www.example.com/n' },
    ],
    [
      { 'og:type': 'video.movie', 'video:duration': '90' },
      { '@type': 'VideoObject', name: 'T', duration: '90' },
    ],
    [
      { 'og:type': 'book', 'book:isbn': '1' },
      { '@type': 'Book', name: 'T', isbn: '1' },
    ],
    [
      { 'og:type': 'profile', 'profile:first_name': 'Ann' },
      { '@type': 'Person', name: 'T', givenName: 'Ann' },
    ],
    [
      { 'og:type': 'music.song', 'music:musician': 'https://a.example/' },
      { '@type': 'MusicRecording', name: 'T', byArtist: 'https://a.example/' },
    ],
  ])('is an item, too: %j', (properties, item) => {
    expect(data(meta({ 'og:title': 'T', ...properties }))).toEqual([item])
  })

  it('is not told again where other markup tells it', () => {
    const html = meta({ 'og:title': 'T', 'og:type': 'article' }) + jsonLd('{"@type":"NewsArticle","headline":"H"}')
    expect(data(html)).toEqual([{ '@type': 'NewsArticle', headline: 'H' }])
  })
})
