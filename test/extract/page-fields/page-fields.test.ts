import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'
import type { FieldRules } from '../../../extract/page-fields/field-rules.ts'

const url = 'https://shop.example/lamp'

function fieldsOf(html: string, fields: FieldRules) {
  return extractPage(html, { url, contentType: 'text/html', fields }).fields
}

const product = {
  '@context': 'https://schema.org',
  '@type': 'Product',
  name: 'Lamp',
  brand: { '@type': 'Brand', name: 'Brassworks' },
  offers: [
    { '@type': 'Offer', price: '19.90', availability: 'https://schema.org/InStock' },
    { '@type': 'Offer', price: 24 },
  ],
  releaseDate: '2025-05-01T10:00:00+02:00',
  isFamilyFriendly: 'true',
}
const page = `<!doctype html><html lang="en"><head><title>Lamp</title>
<meta property="product:price:amount" content="21"><meta name="keywords" content="desk, brass">
<script type="application/ld+json">${JSON.stringify(product)}</script></head><body>
<p class="byline">By <a href="/ann">Ann  Lee</a> and <a href="/bo">Bo</a></p>
<div class="box" data-sku="AB-17"><span class="price">$1,299.00</span></div>
<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Old lamp</b>
<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price">12,50</span></div></div>
<p>A lamp of brass for the desk, with a shade of green glass and a switch on the cable.</p></body></html>`

describe('the fields of a page', () => {
  it('come from JSON-LD, microdata, meta elements and CSS selectors', () => {
    const fields = fieldsOf(page, {
      price: 'json-ld: offers.price',
      marked: 'microdata: Product.offers.price',
      listed: { from: 'meta: Product:Price:Amount', type: 'number' },
      author: 'css: .byline a',
      links: 'css: .byline a::attr(href)',
      sku: 'css: [data-sku^="AB"]::attr(data-sku)',
      shown: { from: 'css: .box > .price', type: 'number' },
      stock: 'json-ld: offers.availability',
      brand: 'json-ld: brand',
      released: 'json-ld: Product.releaseDate',
      family: 'json-ld: isFamilyFriendly',
    })
    expect(fields).toEqual({
      price: [19.9, 24],
      marked: 12.5,
      listed: 21,
      author: ['Ann Lee', 'Bo'],
      links: ['/ann', '/bo'],
      sku: 'AB-17',
      shown: 1299,
      stock: 'InStock',
      brand: 'Brassworks',
      released: new Date('2025-05-01T08:00:00Z'),
      family: true,
    })
  })

  it('are absent if the page has none of them, or is not HTML', () => {
    expect(fieldsOf(page, { price: 'css: .nowhere' })).toBeUndefined()
    expect(extractPage('# Lamp', { url, contentType: 'text/markdown', fields: { a: 'css: p' } }).fields).toBeUndefined()
    expect(extractPage(page, { url, contentType: 'text/html' }).fields).toBeUndefined()
  })

  it('come from the first source that has a value of the type', () => {
    const from = ['css: .none', 'css: .byline', 'meta: product:price:amount']
    expect(fieldsOf(page, { price: { from, type: 'number' } })).toEqual({ price: 21 })
  })

  it('are texts if the rule says so, none of them twice', () => {
    const html = '<p class="s">A lamp</p><p class="s">A lamp</p><p class="s">of brass</p>'
    expect(fieldsOf(html, { summary: { from: 'css: .s', type: 'text' } })).toEqual({
      summary: [{ $text: 'A lamp' }, { $text: 'of brass' }],
    })
  })

  it('have only the first value if the rule says so, and no value twice', () => {
    const html = '<p><i>a</i><i>b</i><i>a</i></p>'
    expect(fieldsOf(html, { t: 'css: i' })).toEqual({ t: ['a', 'b'] })
    expect(fieldsOf(html, { t: { from: 'css: i', values: 'first' } })).toEqual({ t: 'a' })
  })

  it('read the item nearest to the top that has the path, so that related products do not count', () => {
    const related = {
      '@type': 'Product',
      isRelatedTo: { '@type': 'Product', offers: { price: 1 } },
      offers: { price: 2 },
    }
    const html = `<script type="application/ld+json">${JSON.stringify({ '@type': 'WebPage', mainEntity: related })}</script><p>x`
    expect(fieldsOf(html, { price: 'json-ld: offers.price' })).toEqual({ price: 2 })
    expect(fieldsOf(html, { price: 'json-ld: Offer.price' })).toBeUndefined()
  })

  it('find a text in an element, although the text of its parent is too long to look at all of it', () => {
    const html = `<main><p>${'word '.repeat(5_000)}</p><div class="a">SKU: 7</div></main>`
    expect(fieldsOf(`<div>${html}</div>`, { sku: 'css: div:contains("SKU:")' })).toEqual({ sku: 'SKU: 7' })
  })

  it('leave out values that are too long or of another type, and never more than the limit', () => {
    const html = `<p><i>${'x'.repeat(300)}</i><i>b</i></p><ul>${Array.from({ length: 400 }, (_, i) => `<li>${i}</li>`).join('')}</ul>`
    const fields = fieldsOf(html, {
      t: 'css: i',
      n: { from: 'css: i', type: 'number' },
      most: { from: 'css: li', type: 'number' },
    })
    expect(fields).toMatchObject({ t: 'b' })
    expect(fields).not.toHaveProperty('n')
    expect(fields?.most).toHaveLength(256)
  })

  it.each([
    ['many matches', `<div>${'<i>x</i>'.repeat(100_000)}</div>`],
    ['a deep page', '<div class="a"><i>'.repeat(20_000)],
    ['one huge text', `<i>${'x '.repeat(2_000_000)}</i>`],
    ['deep JSON-LD', `<script type="application/ld+json">${'[{"a":'.repeat(30)}1${'}]'.repeat(30)}</script>`],
    [
      'wide JSON-LD',
      `<script type="application/ld+json">[${'{"@type":"A","b":[{"a":[[]]}]},'.repeat(20_000)}{}]</script>`,
    ],
  ])('take bounded time on %s', (_, html) => {
    const fields: FieldRules = {
      a: 'css: div.a i',
      b: 'css: i:nth-last-child(2)',
      c: 'json-ld: offers.price',
      d: 'css: i',
      e: 'css: div:has(i ~ b)',
      f: 'css: :contains("z")',
    }
    const began = process.cpuUsage()
    fieldsOf(html, fields)
    const { user } = process.cpuUsage(began)
    expect(user / 1000).toBeLessThan(30_000)
  })

  it('ignore properties of the prototype', () => {
    const html = '<script type="application/ld+json">{"@type":"A","x":1}</script><p constructor=a>b</p>'
    expect(
      fieldsOf(html, { a: 'json-ld: constructor.name', b: 'css: p::attr(toString)', c: 'css: [constructor]' }),
    ).toEqual({
      c: 'b',
    })
  })
})
