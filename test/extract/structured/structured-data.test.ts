import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'
import { processorMs } from '../../processor-time.ts'

const data = (html: string) =>
  extractPage(html, { url: 'https://www.example.com/dir/x', contentType: 'text/html' }).data
const jsonLd = (json: string) => `<script type="application/ld+json">${json}</script>`

describe('the list of structured data', () => {
  it('has one format: no context, names without the URL of the vocabulary, plain values', () => {
    const html = jsonLd(
      '{"@context":{"schema":"https://schema.org/"},"@type":["http://schema.org/Product","schema:Thing"],' +
        '"schema:name":[{"@value":"Lamp","@language":"en"}],"https://schema.org/sku":7,"offers":[{"@type":"schema:Offer","price":null}]}',
    )
    expect(data(html)).toEqual([{ '@type': ['Product', 'Thing'], name: 'Lamp', sku: 7, offers: { '@type': 'Offer' } }])
  })

  it('follows references within the page once, except for those about its structure', () => {
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
    expect(offer?.seller).toMatchObject({ name: 'Shop' })
    expect(shop?.member).toEqual({ '@id': '#s' })
  })

  it('is limited in size if all items refer to each other', () => {
    const items = Array.from({ length: 200 }, (_, i) => ({
      '@type': 'Thing',
      '@id': `#${i}`,
      text: 'x'.repeat(500),
      about: Array.from({ length: 200 }, (_, j) => ({ '@id': `#${j}` })),
    }))
    expect(JSON.stringify(data(jsonLd(JSON.stringify(items)))).length).toBeLessThan(256 * 1024)
  })

  it('contains no item twice', () => {
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
  ])('repairs JSON with %s', (_what, json) => {
    expect(data(jsonLd(json))).toEqual([{ '@type': 'A', n: [1, 2] }])
  })

  it.each(['hello', '{', '{"a":"'.repeat(2000), `${'['.repeat(100_000)}{"@type":"A"}`, '{"@type":"A"'.repeat(20_000)])(
    'ignores a block that can not be repaired',
    json => {
      const ms = processorMs(() => {
        expect(data(jsonLd(json) + jsonLd('{"@type":"B"}')).at(-1)).toEqual({ '@type': 'B' })
      })
      expect(ms).toBeLessThan(5000)
    },
  )

  it('has no property that every object has', () => {
    const [item] = data(jsonLd('{"@type":"A","__proto__":{"x":1},"schema:__proto__":{"x":1}}'))
    expect(Object.getPrototypeOf(item)).toBe(Object.prototype)
    expect(item).toEqual({ '@type': 'A' })
  })
})
