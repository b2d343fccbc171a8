import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'
import { lamp } from '../marked-up-lamp.ts'

const data = (html: string) =>
  extractPage(html, { url: 'https://www.example.com/dir/x', contentType: 'text/html' }).data

describe('RDFa Lite', () => {
  it('becomes items in the format of JSON-LD, nested as in the page', () => {
    const html = `<div vocab="https://schema.org/" typeof="Product" resource="#lamp"><h1 property="name">Storm <b>lamp</b></h1>
      <img property=image src="/lamp.jpg"><meta property=sku content=L1>
      <p property=offers typeof=Offer><span property=price content="9.50">9,50 €</span>
      <link property=availability href="https://schema.org/InStock"><time property=priceValidUntil datetime=2026-05-01>May</time></p>
      <a property="url sameAs" href="../lamp">more</a><i property=color>red</i><i property=color>blue</i></div>`
    expect(data(html)).toEqual([{ ...lamp, '@id': 'https://www.example.com/dir/x#lamp' }])
  })

  it('needs no vocab if names are complete', () => {
    const html =
      '<p typeof="schema:Place"><b property="http://schema.org/name">Quay</b><i property="schema:telephone">1</i></p>'
    expect(data(html)).toEqual([{ '@type': 'Place', name: 'Quay', telephone: '1' }])
  })

  it.each([
    ['another vocabulary', '<p vocab="https://other.example/" typeof=Thing><b property=name>a</b></p>'],
    ['no vocabulary', '<p typeof=Thing><b property=name>a</b></p>'],
    [
      'parts of the page itself',
      '<nav vocab="https://schema.org/" typeof=SiteNavigationElement><b property=name>a</b></nav>',
    ],
    ['OpenGraph', '<meta property="og:image" content="https://a.example/i.png">'],
  ])('leaves out %s', (_what, html) => {
    expect(data(html)).toEqual([])
  })

  it('does not give an item the properties of another one in it', () => {
    const html = `<div vocab="https://schema.org/" typeof=Thing><b property=name>a</b>
      <p typeof="foaf:Person"><i property=name>b</i></p></div>`
    expect(data(html)).toEqual([{ '@type': 'Thing', name: 'a' }])
  })

  it('is limited in depth and number', () => {
    const open = '<div vocab="https://schema.org/" property=part typeof=Thing>'
    expect(JSON.stringify(data(open.repeat(400))).split('"@type"').length - 1).toBe(16)
    const many = Array.from({ length: 1000 }, (_, i) => `${open}<i property=name>${i}</i></div>`)
    expect(data(many.join(''))).toHaveLength(50)
  })
})
