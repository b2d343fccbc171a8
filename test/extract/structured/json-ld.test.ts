import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const page = (html: string) => extractPage(html, { url: 'https://www.example.com/dir/x', contentType: 'text/html' })
const jsonLd = (text: string) => `<script type="application/ld+json">${text}</script>`

describe('JSON-LD', () => {
  it('is flattened: arrays and @graph', () => {
    const html = jsonLd('[{"@type":"A"},{"@graph":[{"@type":"B"},[{"@type":"C"}]]}]')
    expect(page(html).data).toEqual([{ '@type': 'A' }, { '@type': 'B' }, { '@type': 'C' }])
  })
  it('is kept except for blocks that can not be parsed', () => {
    const html =
      jsonLd('{"@type":') + jsonLd('{"@type":"A","n":"line\nbreak"}') + jsonLd('/*<![CDATA[*/{"@type":"B"}/*]]>*/')
    expect(page(html).data).toEqual([{ '@type': 'A', n: 'line break' }, { '@type': 'B' }])
  })
  it('keeps the digits of integers that a number does not hold exactly', () => {
    const id = '4223372036854775805'
    const item = {
      '@type': 'Product',
      sku: id,
      offers: { '@type': 'Offer', sku: id, price: 9.5 },
      gtin13: 4006381333931,
    }
    const written = JSON.stringify(item).replaceAll(`"${id}"`, id)
    expect(page(jsonLd(written)).data).toEqual([item])
    const invalid = [
      written.replace('}', ',}'),
      written.replace('{', '{/* a comment */'),
      written.replace('{', '{\t\u0001'),
    ]
    for (const text of invalid) expect(page(jsonLd(text)).data, text).toEqual([item])
  })
  it('keeps the zeros before an identifier that is no valid number', () => {
    expect(page(jsonLd('{"@type":"Product","gtin14":00012345678905}')).data).toEqual([
      { '@type': 'Product', gtin14: '00012345678905' },
    ])
  })
  it('is ignored beyond 64 levels', () => {
    expect(page(jsonLd(`{"@type":"A","x":${'['.repeat(70)}${']'.repeat(70)}}`)).data).toEqual([])
  })
  it('is limited to 50 items and 256 KiB', () => {
    expect(page(jsonLd(JSON.stringify(Array.from({ length: 80 }, (_, i) => ({ '@type': 'A', i }))))).data.length).toBe(
      50,
    )
    const big = { '@type': 'A', x: 'y'.repeat(100 * 1024) }
    expect(page(jsonLd(JSON.stringify([1, 2, 3].map(i => ({ ...big, i }))))).data.length).toBe(2)
  })
})
