/** A value that a page declares, read without asof. */
export type DeclaredValue = string | number

/** What the main item of a page declares, and the schema that asks for it. */
export interface DeclaredPage {
  /** The kind of the item, for the report. */
  kind: string
  /** The properties that the page declares, by their name in the schema. */
  truth: Readonly<Record<string, DeclaredValue>>
}

/** A property of a kind: its schema, and where schema.org has it. */
interface AskedProperty {
  schema: object
  /** Paths of properties; the first that has a value. */
  paths: readonly string[]
}

const text = { type: 'string' }
const number = { type: 'number' }
const integer = { type: 'integer' }
const day = { type: 'string', format: 'date' }
const at = (schema: object, ...paths: string[]): AskedProperty => ({ schema, paths })

interface Kind {
  types: RegExp
  properties: Readonly<Record<string, AskedProperty>>
}

const article: Kind = {
  types: /^(?:\w*Article|BlogPosting|Report\w*|WebLog\w*)$/,
  properties: {
    title: at(text, 'headline', 'name'),
    author: at(text, 'author'),
    published: at(day, 'datePublished'),
    updated: at(day, 'dateModified'),
    section: at(text, 'articleSection'),
    publisher: at(text, 'publisher'),
    description: at(text, 'description'),
  },
}

const review = {
  rating: at(number, 'aggregateRating.ratingValue'),
  review_count: at(integer, 'aggregateRating.reviewCount'),
  rating_count: at(integer, 'aggregateRating.ratingCount'),
}

const place = {
  street: at(text, 'address.streetAddress', 'location.address.streetAddress'),
  city: at(text, 'address.addressLocality', 'location.address.addressLocality'),
  postal_code: at(text, 'address.postalCode', 'location.address.postalCode'),
  phone: at(text, 'telephone'),
}

/** The kinds of pages, with what a caller would ask of each. */
export const kinds: Readonly<Record<string, Kind>> = {
  product: {
    types: /^(?:Product|IndividualProduct|ProductModel|SoftwareApplication|WebApplication|MobileApplication)$/,
    properties: {
      name: at(text, 'name'),
      price: at(number, 'offers.price', 'offers.priceSpecification.price'),
      currency: at(text, 'offers.priceCurrency', 'offers.priceSpecification.priceCurrency'),
      brand: at(text, 'brand'),
      sku: at(text, 'sku'),
      description: at(text, 'description'),
      ...review,
    },
  },
  recipe: {
    types: /^Recipe$/,
    properties: { name: at(text, 'name'), author: at(text, 'author'), servings: at(text, 'recipeYield'), ...review },
  },
  event: {
    types: /Event$/,
    properties: {
      name: at(text, 'name'),
      start: at(day, 'startDate'),
      end: at(day, 'endDate'),
      venue: at(text, 'location.name'),
      ...place,
    },
  },
  job: {
    types: /^JobPosting$/,
    properties: {
      job_title: at(text, 'title'),
      company: at(text, 'hiringOrganization'),
      published: at(day, 'datePosted'),
    },
  },
  work: {
    types: /^(?:Movie|TVSeries|Book|MusicAlbum|VideoGame|Course)$/,
    properties: { name: at(text, 'name'), author: at(text, 'author'), isbn: at(text, 'isbn'), ...review },
  },
  business: {
    types:
      /^(?:LocalBusiness|\w*Store|Restaurant|Hotel|Dentist|\w*Clinic|\w*Agent|Attorney|LegalService|\w*Service|\w*Business)$/,
    properties: { name: at(text, 'name'), ...place, ...review },
  },
  article,
}

type Item = Readonly<Record<string, unknown>>

/** Returns the schema that asks for the properties of a kind. */
export function schemaOf(kind: string): object {
  const properties = Object.entries(kinds[kind]?.properties ?? {}).map(([name, { schema }]) => [name, schema])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/**
 * Reads the JSON-LD of a page. Returns undefined unless the page has exactly one item of exactly one kind, so that there is no doubt what
 * it is about.
 */
export function declaredOn(html: string): DeclaredPage | undefined {
  const items = scriptsOf(html).flatMap(topItems)
  const found = Object.entries(kinds).flatMap(([kind, { types }]) =>
    items.filter(item => typesOf(item).some(type => types.test(type))).map(item => ({ kind, item })),
  )
  const distinct = new Map(found.map(({ kind, item }) => [JSON.stringify(item), { kind, item }]))
  const [only, ...others] = distinct.values()
  if (!only || others.length > 0) return undefined
  const named = new Map(items.flatMap(item => (typeof item['@id'] === 'string' ? [[item['@id'], item]] : [])))
  const asked = Object.entries(kinds[only.kind]?.properties ?? {})
  const truth = asked.flatMap(([name, { schema, paths }]) => {
    const values = paths.map(path => valuesAt(only.item, path.split('.'), named)).find(found => found.length > 0) ?? []
    const read = values.flatMap(value => truthOf(value, schema, named) ?? [])
    return new Set(read).size === 1 ? [[name, read[0]!] as const] : []
  })
  return { kind: only.kind, truth: Object.fromEntries(truth) }
}

/** Returns what JSON-LD scripts have, without those that are no JSON. */
function scriptsOf(html: string): unknown[] {
  const scripts = html.matchAll(/<script[^>]*type\s*=\s*["']?application\/ld\+json["']?[^>]*>([\s\S]*?)<\/script>/gi)
  return Array.from(scripts).flatMap(([, json = '']) => {
    try {
      return [JSON.parse(json) as unknown]
    } catch {
      return []
    }
  })
}

function topItems(value: unknown): Item[] {
  if (Array.isArray(value)) return value.flatMap(topItems)
  if (!isItem(value)) return []
  const graph = value['@graph']
  return graph === undefined ? [value] : topItems(graph)
}

function typesOf(item: Item): string[] {
  return [item['@type']].flat().filter(type => typeof type === 'string')
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function resolved(value: unknown, named: ReadonlyMap<unknown, Item>): unknown {
  return isItem(value) && Object.keys(value).length === 1 ? (named.get(value['@id']) ?? value) : value
}

function valuesAt(item: Item, path: readonly string[], named: ReadonlyMap<unknown, Item>): unknown[] {
  let values: unknown[] = [item]
  for (const name of path)
    values = values
      .flatMap(value => (isItem(value) ? [value[name]] : []))
      .flat()
      .map(value => resolved(value, named))
  return values.filter(value => value !== undefined && value !== null && value !== '')
}

function truthOf(
  value: unknown,
  schema: { type?: string; format?: string },
  named: ReadonlyMap<unknown, Item>,
): DeclaredValue | undefined {
  const plain = isItem(value) ? resolved(value.name, named) : value
  if (typeof plain !== 'string' && typeof plain !== 'number') return undefined
  if (schema.format === 'date') return /^\d{4}-\d\d-\d\d/.exec(String(plain))?.[0]
  if (schema.type === 'string') return String(plain).replace(/\s+/g, ' ').trim() || undefined
  // Software writes a point before decimals. Anything else is read by a person.
  return /^-?\d+(?:\.\d+)?$/.test(String(plain).trim()) ? Number(plain) : undefined
}
