import type { StructuredItem } from '../page.ts'
import { typesOf } from './json-ld.ts'
import { firstMeta, type PageMetadata } from './page-metadata.ts'

/** Returns values of meta elements as schema.org properties. */
function readProperties(
  metadata: PageMetadata,
  names: Readonly<Record<string, readonly string[]>>,
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [property, metas] of Object.entries(names)) {
    const value = firstMeta(metadata, metas)
    if (value !== undefined) values[property] = value
  }
  return values
}

/** Properties of items of any type. */
const ofAnything = { url: ['og:url'], image: ['og:image:secure_url', 'og:image:url', 'og:image'] } as const

/** Values of `og:type` with the schema.org type that each becomes, and the properties of that type. */
const plainKinds: readonly {
  kind: RegExp
  type: string
  /** Matches types that make this item redundant if other markup has them. */
  redundant: RegExp
  nameAs?: string
  properties: Readonly<Record<string, readonly string[]>>
}[] = [
  {
    kind: /^article$/i,
    type: 'Article',
    redundant: /Article$|Posting$/,
    nameAs: 'headline',
    properties: {
      datePublished: ['article:published_time', 'og:article:published_time'],
      dateModified: ['article:modified_time', 'og:article:modified_time'],
      author: ['article:author', 'og:article:author'],
      articleSection: ['article:section', 'og:article:section'],
    },
  },
  {
    kind: /^video\.(?:movie|episode|tv_show|other)$|^video$/i,
    type: 'VideoObject',
    redundant: /^(?:VideoObject|Movie|TVEpisode|TVSeries)$/,
    properties: { duration: ['video:duration'], datePublished: ['video:release_date'], contentUrl: ['og:video:url'] },
  },
  {
    kind: /^music\.(?:song|album|playlist)$/i,
    type: 'MusicRecording',
    redundant: /^Music/,
    properties: { duration: ['music:duration'], datePublished: ['music:release_date'], byArtist: ['music:musician'] },
  },
  {
    kind: /^books?(?:\.book)?$/i,
    type: 'Book',
    redundant: /^Book$/,
    properties: {
      isbn: ['book:isbn', 'books:isbn'],
      author: ['book:author', 'books:author'],
      datePublished: ['book:release_date', 'books:release_date'],
    },
  },
  {
    kind: /^profile$/i,
    type: 'Person',
    redundant: /^Person$/,
    properties: { givenName: ['profile:first_name'], familyName: ['profile:last_name'] },
  },
]

/**
 * Returns what a page's OpenGraph properties describe, as schema.org items: a product with a price, a place, an
 * article, a video, music, a book or a person.
 *
 * @param others - items from other markup of the page. Their types are not repeated.
 */
export function parseOpenGraph(metadata: PageMetadata, others: readonly StructuredItem[]): StructuredItem[] {
  const name = metadata.meta.get('og:title')
  if (name === undefined) return []
  const known = new Set(others.flatMap(typesOf))
  const kind = metadata.meta.get('og:type') ?? ''
  const items: StructuredItem[] = []
  const offer = readProperties(metadata, {
    price: ['product:sale_price:amount', 'product:price:amount', 'og:price:amount'],
    priceCurrency: ['product:sale_price:currency', 'product:price:currency', 'og:price:currency'],
    availability: ['product:availability', 'og:availability'],
  })
  // An article of a newspaper may have a price too, but is no product.
  const isProduct = offer.price !== undefined && !/^article/i.test(kind)
  if (isProduct && !known.has('Product') && !known.has('ProductGroup')) {
    const brand = readProperties(metadata, { brand: ['product:brand', 'og:brand'] })
    items.push({ '@type': 'Product', name, ...brand, offers: { '@type': 'Offer', ...offer } })
  }
  const geo = readProperties(metadata, {
    latitude: ['place:location:latitude'],
    longitude: ['place:location:longitude'],
  })
  const address = readProperties(metadata, {
    streetAddress: ['business:contact_data:street_address'],
    addressLocality: ['business:contact_data:locality'],
    addressRegion: ['business:contact_data:region'],
    postalCode: ['business:contact_data:postal_code'],
    addressCountry: ['business:contact_data:country_name'],
  })
  const isPlace = /^(?:place|business\.business|restaurant\.restaurant|restaurant|hotel)$/i.test(kind)
  if (isPlace && !known.has('Place') && !known.has('LocalBusiness')) {
    const place: StructuredItem = { '@type': kind.toLowerCase() === 'place' ? 'Place' : 'LocalBusiness', name }
    if (Object.keys(geo).length > 0) place.geo = { '@type': 'GeoCoordinates', ...geo }
    if (Object.keys(address).length > 0) place.address = { '@type': 'PostalAddress', ...address }
    items.push({ ...place, ...readProperties(metadata, { telephone: ['business:contact_data:phone_number'] }) })
  }
  const plain = plainKinds.find(one => one.kind.test(kind))
  if (plain && ![...known].some(type => plain.redundant.test(type))) {
    const { type, nameAs = 'name', properties } = plain
    items.push({ '@type': type, [nameAs]: name, ...readProperties(metadata, { ...properties, ...ofAnything }) })
  }
  return items
}
