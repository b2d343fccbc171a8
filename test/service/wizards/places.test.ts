import { describe, expect, it } from 'vitest'
import { places } from '../../../service/wizards/places.ts'
import { fieldsOf } from './wizard-question.ts'

const trattoria = {
  '@context': 'https://schema.org',
  '@type': 'Restaurant',
  name: 'Trattoria Lucia',
  url: '/',
  telephone: '+49 30 1234567',
  priceRange: '€€',
  servesCuisine: ['Italian', 'Vegetarian'],
  address: {
    '@type': 'PostalAddress',
    streetAddress: 'Torstraße 1',
    addressLocality: 'Berlin',
    postalCode: '10119',
    addressCountry: { '@type': 'Country', name: 'DE' },
  },
  geo: { '@type': 'GeoCoordinates', latitude: '52.5299', longitude: 13.4019 },
  openingHoursSpecification: [
    {
      '@type': 'OpeningHoursSpecification',
      dayOfWeek: ['https://schema.org/Monday', 'Tuesday'],
      opens: '17:00:00',
      closes: '23:00',
    },
    { '@type': 'OpeningHoursSpecification', dayOfWeek: 'Caturday', opens: '00:00', closes: '01:00' },
  ],
  aggregateRating: { ratingValue: 4.6, bestRating: '5', reviewCount: 210 },
}

const answers = (query: string, ...data: unknown[]) => fieldsOf(places, query, ...data)

describe('places', () => {
  it('answers with the address, opening hours and contact of a place', async () => {
    expect(await answers('trattoria lucia opening hours', trattoria)).toEqual([
      {
        name: 'Trattoria Lucia',
        type: 'Restaurant',
        address: 'Torstraße 1, 10119, Berlin, DE',
        street: 'Torstraße 1',
        locality: 'Berlin',
        postal_code: '10119',
        country: 'DE',
        latitude: 52.5299,
        longitude: 13.4019,
        telephone: '+49 30 1234567',
        website: 'https://shop.example.com/',
        opening_hours: ['monday 17:00-23:00', 'tuesday 17:00-23:00'],
        price_range: '€€',
        cuisine: ['Italian', 'Vegetarian'],
        rating: 4.6,
        best_rating: 5,
        rating_count: 210,
      },
    ])
  })

  it.each(['italian restaurant in berlin', 'restaurants near Torstrasse', 'lucia berlin'])(
    'answers %j, which names a place by name, type, cuisine or town',
    async query => {
      expect(await answers(query, trattoria)).toHaveLength(1)
    },
  )

  it.each([
    'berlin',
    'restaurant',
    'restaurants nearby',
    'trattoria lucia hamburg',
    'opening hours',
    'italian grammar',
  ])('says nothing to %j', async query => {
    expect(await answers(query, trattoria)).toEqual([])
  })

  it('accepts an address in one line, hours as text, and unknown types with coordinates', async () => {
    const pier = {
      '@type': 'BoatTerminal',
      name: 'North pier',
      address: 'Quay 4, Oslo',
      geo: { latitude: 59.9, longitude: 10.7 },
    }
    expect(await answers('north pier', pier)).toEqual([
      { name: 'North pier', type: 'BoatTerminal', address: 'Quay 4, Oslo', latitude: 59.9, longitude: 10.7 },
    ])
    const shop = {
      '@type': 'Store',
      name: 'Book nook',
      telephone: 12345,
      openingHours: [', , ,', 'Mo-Fr 09:00-18:00, ,'],
    }
    expect(await answers('book nook', shop)).toEqual([
      { name: 'Book nook', type: 'Store', telephone: '12345', opening_hours: ['Mo-Fr 09:00-18:00'] },
    ])
  })

  it.each([
    [
      'coordinates out of range',
      { '@type': 'Place', name: 'Pole', geo: { latitude: 91, longitude: '200' } },
      [{ name: 'Pole', type: 'Place' }],
    ],
    ['a place without data', { '@type': 'Place', name: 'Pole' }, []],
    ['an organization', { '@type': 'Organization', name: 'Pole', address: 'North' }, []],
    ['a place without a name', { '@type': 'Place', address: 'Pole' }, []],
  ])('given %s', async (_what, item, expected) => {
    expect(await answers('pole', item)).toEqual(expected)
  })

  it('answers with the address of an organization only if the query asks for a location', async () => {
    const address = { '@type': 'PostalAddress', streetAddress: '48 Wall St', addressLocality: 'New York' }
    const house = { '@type': 'NewsMediaOrganization', name: 'Harbour Herald', address }
    for (const query of ['harbour herald address', 'Harbour Herald headquarters', 'phone of harbour herald'])
      expect(await answers(query, house), query).toMatchObject([{ name: 'Harbour Herald', locality: 'New York' }])
    for (const query of ['harbour herald', 'harbour herald news', 'address'])
      expect(await answers(query, house), query).toEqual([])
    expect(await answers('harbour herald address', { ...house, address: { '@type': 'PostalAddress' } })).toEqual([])
  })
})
