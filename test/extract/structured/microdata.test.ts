import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'
import { lamp } from '../marked-up-lamp.ts'

const data = (html: string) =>
  extractPage(html, { url: 'https://www.example.com/dir/x', contentType: 'text/html' }).data

describe('microdata', () => {
  it('becomes items in the format of JSON-LD, nested as in the page', () => {
    const html = `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Storm <b>lamp</b></h1>
      <img itemprop=image src="/lamp.jpg"><meta itemprop=sku content=L1>
      <p itemprop=offers itemscope itemtype=http://schema.org/Offer><data itemprop=price value="9.50">9,50 €</data>
      <link itemprop=availability href="https://schema.org/InStock"><time itemprop=priceValidUntil datetime=2026-05-01>May</time></p>
      <a itemprop="url sameAs" href="../lamp">more</a><i itemprop=color>red</i><i itemprop=color>blue</i></div>`
    expect(data(html)).toEqual([lamp])
  })

  it('comes after JSON-LD, in page order', () => {
    const item = (name: string) => `<p itemscope itemtype=https://schema.org/Thing><b itemprop=name>${name}</b></p>`
    const html = `${item('a')}${item('b')}<script type="application/ld+json">{"@type":"Thing","name":"c"}</script>`
    expect(data(html).map(({ name }) => name)).toEqual(['c', 'a', 'b'])
  })

  it.each([
    ['another vocabulary', '<p itemscope itemtype=https://other.example/Thing><b itemprop=name>a</b></p>'],
    ['an item without a type', '<p itemscope><b itemprop=name>a</b></p>'],
    [
      'parts of the page itself',
      '<nav itemscope itemtype=https://schema.org/SiteNavigationElement><b itemprop=name>a</b></nav>',
    ],
    ['a property without an item', '<b itemprop=name>a</b>'],
  ])('leaves out %s', (_what, html) => {
    expect(data(html)).toEqual([])
  })

  it('has no property that every object has', () => {
    const html = `<p itemscope itemtype=https://schema.org/Thing><b itemprop="__proto__ constructor toString name">a</b></p>`
    const [item] = data(html)
    expect(Object.getPrototypeOf(item)).toBe(Object.prototype)
    expect(JSON.parse(JSON.stringify(item))).toEqual({ '@type': 'Thing', toString: 'a', name: 'a' })
  })

  it('is limited in depth, number and length', () => {
    const open = '<div itemprop=part itemscope itemtype=https://schema.org/Thing>'
    const nested = JSON.stringify(data(open.repeat(400)))
    expect(nested.split('"@type"').length - 1).toBe(16)
    expect(
      data(Array.from({ length: 1000 }, (_, i) => `${open}<i itemprop=name>${i}</i></div>`).join('')),
    ).toHaveLength(50)
    const [long] = data(
      `${open}<b itemprop=text>${'x'.repeat(301)}</b><meta itemprop=name content=${'x'.repeat(5000)}></div>`,
    )
    expect(long).toEqual({ '@type': 'Thing', name: 'x'.repeat(1000) })
    const [wide] = data(`${open}<div itemprop=text>${'<i>x</i>'.repeat(1000)}</div><b itemprop=name>n</b></div>`)
    expect(wide).toEqual({ '@type': 'Thing', name: 'n' })
  })
})
