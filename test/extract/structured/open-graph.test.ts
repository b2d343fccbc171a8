import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const data = (html: string) =>
  extractPage(html, { url: 'https://www.example.com/dir/x', contentType: 'text/html' }).data
const jsonLd = (json: string) => `<script type="application/ld+json">${json}</script>`
const meta = (properties: Record<string, string>) =>
  Object.entries(properties)
    .map(([property, content]) => `<meta property="${property}" content="${content}">`)
    .join('')

describe('parseOpenGraph', () => {
  const product = {
    'og:title': 'Storm lamp',
    'product:price:amount': '9.50',
    'product:price:currency': 'EUR',
    'product:availability': 'in stock',
    'product:brand': 'Acme',
  }

  it('returns a product with its price', () => {
    expect(data(meta(product))).toEqual([
      {
        '@type': 'Product',
        name: 'Storm lamp',
        brand: 'Acme',
        offers: { '@type': 'Offer', price: '9.50', priceCurrency: 'EUR', availability: 'in stock' },
      },
    ])
  })

  it('returns a place with its coordinates and address', () => {
    const place = {
      'og:title': 'Harbour Inn',
      'og:type': 'business.business',
      'place:location:latitude': '52.5',
      'place:location:longitude': '13.4',
      'business:contact_data:street_address': 'Quay 1',
      'business:contact_data:locality': 'Berlin',
      'business:contact_data:phone_number': '+49 30 1',
    }
    expect(data(meta(place))).toEqual([
      {
        '@type': 'LocalBusiness',
        name: 'Harbour Inn',
        geo: { '@type': 'GeoCoordinates', latitude: '52.5', longitude: '13.4' },
        address: { '@type': 'PostalAddress', streetAddress: 'Quay 1', addressLocality: 'Berlin' },
        telephone: '+49 30 1',
      },
    ])
  })

  it('returns nothing for a type that is in other markup, or for other types', () => {
    const ld = '<script type="application/ld+json">{"@type":"Product","name":"Lamp"}</script>'
    expect(data(meta(product) + ld)).toEqual([{ '@type': 'Product', name: 'Lamp' }])
    expect(data(meta({ ...product, 'og:type': 'website', 'product:price:amount': '' }))).toEqual([])
    expect(data(meta({ 'og:title': 'News', 'og:type': 'website', 'place:location:latitude': '1' }))).toEqual([])
  })

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
  ])('returns an item for %j', (properties, item) => {
    expect(data(meta({ 'og:title': 'T', ...properties }))).toEqual([item])
  })

  it('returns no article if other markup has one', () => {
    const html = meta({ 'og:title': 'T', 'og:type': 'article' }) + jsonLd('{"@type":"NewsArticle","headline":"H"}')
    expect(data(html)).toEqual([{ '@type': 'NewsArticle', headline: 'H' }])
  })
})
