import type { Engine, FacetValue, FieldFilter, Fields, SearchOptions } from '@asof/core'

/** The choices of a visitor, as they are in the address of the page. */
export interface Choices {
  query: string
  /** The day that the shop is shown as of, such as 2026-03-01. Default: now. */
  day?: string
  sort: string
  /** The chosen values, by field. A product must have one of each field. */
  values: Readonly<Record<string, readonly string[]>>
  least?: number
  most?: number
  onlyInStock: boolean
  onlyReduced: boolean
  /** `next` of the answer before. */
  cursor?: string
}

/** The fields whose values a visitor can choose. */
export const valueFields = ['category', 'brand', 'color', 'material'] as const
const sorts = ['score', 'price:asc', 'price:desc', 'rating:desc', 'released:desc']
/** Width of a bar of the chart of prices, euros. */
export const BUCKET = 25
const PAGE = 24

/** Reads the choices from an address. Unknown ones are ignored. */
export function readChoices(parameters: URLSearchParams): Choices {
  const number = (name: string): number | undefined => {
    const text = parameters.get(name)
    return text ? Number(text) : undefined
  }
  const sort = parameters.get('sort') ?? ''
  return {
    query: parameters.get('q') ?? '',
    day: parameters.get('day') ?? undefined,
    sort: sorts.includes(sort) ? sort : 'score',
    values: Object.fromEntries(valueFields.map(field => [field, parameters.getAll(field)])),
    least: number('least'),
    most: number('most'),
    onlyInStock: parameters.has('stock'),
    onlyReduced: parameters.has('reduced'),
    cursor: parameters.get('cursor') ?? undefined,
  }
}

type Conditions = ReadonlyMap<string, FieldFilter>

/** The conditions of the choices by the field that they are on. */
function conditionsOf({ values, least, most, onlyInStock, onlyReduced }: Choices): Conditions {
  const conditions = new Map<string, FieldFilter>()
  for (const [field, chosen] of Object.entries(values))
    if (chosen.length > 0) conditions.set(field, { [field]: chosen })
  if (least !== undefined || most !== undefined) conditions.set('price', { price: { gte: least, lte: most } })
  if (onlyInStock) conditions.set('inStock', { inStock: true })
  if (onlyReduced) conditions.set('was', { was: { exists: true } })
  return conditions
}

/** The options that every search of a request has: all conditions but those on one field. */
function optionsOf({ day }: Choices, conditions: Conditions, except?: string): SearchOptions {
  const all = [...conditions].filter(([field]) => field !== except).map(([, condition]) => condition)
  return {
    mode: 'realtime',
    typing: true,
    filter: { all },
    // The whole day: the shop as it was when it closed.
    queryTime: day === undefined ? undefined : `${day}T23:59:59.999Z`,
  }
}

/** A product in a list. */
export interface ShownProduct {
  url: string
  title: string
  description: string
  /** The parts of the description that match the query, as UTF-16 offsets. */
  highlights: readonly (readonly [number, number])[]
  fields: Fields
}

export interface Answer {
  products: ShownProduct[]
  total: number
  next?: string
  /** By facet, the values with their numbers of products. */
  facets: Record<string, FacetValue[]>
  /** How long all searches took, milliseconds. */
  tookMs: number
}

/**
 * Answers the choices of a visitor. The counts of a field that has a choice ignore that choice, so that they say what another
 * choice would find: each such field has a search of its own.
 */
export async function answerChoices(engine: Engine, choices: Choices): Promise<Answer> {
  const beganMs = performance.now()
  const { query, sort, cursor } = choices
  const conditions = conditionsOf(choices)
  const facets = [...valueFields, `price:${BUCKET}`, 'inStock']
  const fieldOf = (facet: string): string => facet.replace(/:.*/, '')
  const restricted = facets.filter(facet => conditions.has(fieldOf(facet)))
  const [found, ...others] = await Promise.all([
    engine.search(query, {
      ...optionsOf(choices, conditions),
      facets: facets.filter(facet => !restricted.includes(facet)),
      sort: sort === 'score' ? undefined : sort,
      cursor,
      maxResults: PAGE,
    }),
    ...restricted.map(facet =>
      engine.search(query, { ...optionsOf(choices, conditions, fieldOf(facet)), facets: [facet], maxResults: 1 }),
    ),
  ])
  return {
    products: found.results.map(({ url, title, snippet, fields = {} }) => ({
      url,
      title,
      description: snippet.text,
      highlights: snippet.highlights,
      fields,
    })),
    total: found.total?.value ?? 0,
    next: found.next,
    facets: Object.fromEntries(
      [found, ...others].flatMap(({ facets = [] }) => facets).map(({ field, values }) => [field, values]),
    ),
    tookMs: performance.now() - beganMs,
  }
}

/** A product with its prices from its arrival on. */
export interface ProductHistory {
  title: string
  prices: { at: number; price: number }[]
}

/** Reads when the price of a product changed; undefined if there is no such product. */
export async function priceHistory(engine: Engine, url: string): Promise<ProductHistory | undefined> {
  const { versions } = await engine.history(url, { maxResults: 100 })
  const prices: ProductHistory['prices'] = []
  for (const { at } of versions) {
    const page = await engine.page(url, { queryTime: at, markdownMaxLength: 0 })
    const price = page?.fields?.price
    if (typeof price === 'number' && price !== prices.at(-1)?.price) prices.push({ at, price })
  }
  const title = versions.at(-1)?.title
  return title === undefined ? undefined : { title, prices }
}
