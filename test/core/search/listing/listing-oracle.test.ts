import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type Engine,
  type FacetValue,
  type FieldFilter,
  type Fields,
  open,
  type SearchOptions,
} from '../../../../core/index.ts'
import { randomMerges } from '../../history-script.ts'

const DAY = 86_400_000
const FIRST = Date.parse('2025-01-01T00:00:00Z')
const NOW = FIRST + 400 * DAY
const words = ['lamp', 'sofa', 'lamp sofa']
const hosts = ['a.example', 'b.example', 'c.example']

/** What was seen of one page: its content, or its removal. */
interface Observation {
  page: number
  day: number
  text: number
  fields: Fields
  published: number | undefined
  isRemoved: boolean
}

const fieldsArbitrary = fc
  .record(
    {
      tag: fc.oneof(
        fc.constantFrom('', 'a', 'b', '__proto__', '10', '9'),
        fc.uniqueArray(fc.constantFrom('a', 'b', 'é', '\u{1f600}', '\uffff'), { minLength: 1, maxLength: 3 }),
      ),
      price: fc.oneof(
        fc.constantFrom(-7, -0.5, 0, 3, 3.5, 12, 1e300),
        fc.uniqueArray(fc.constantFrom(1, 2, 15, 40), { minLength: 1, maxLength: 3 }),
      ),
      stock: fc.boolean(),
      released: fc.constantFrom(0, 1, 86_399_999, 40 * DAY, 41.5 * DAY, 700 * DAY).map(ms => new Date(FIRST + ms)),
    },
    { requiredKeys: [] },
  )
  .map(fields => fields as Fields)

const observations = fc.uniqueArray(
  fc.record({
    page: fc.nat(7),
    day: fc.nat(12),
    text: fc.nat(2),
    fields: fieldsArbitrary,
    published: fc.option(fc.constantFrom(-40, -3, -3, 0), { nil: undefined }),
    isRemoved: fc.integer({ max: 7, min: 0 }).map(n => n === 0),
  }),
  { minLength: 5, maxLength: 40, selector: ({ page, day }) => `${page} ${day}` },
)

/** One page as of an instant. */
interface State {
  url: string
  text: string
  fields: Fields
  acquiredAt: number
  publishedAt: number | undefined
}

const urlOf = (page: number) => `https://${hosts[page % hosts.length]}/${page}`

function statesAt(all: readonly Observation[], at: number): State[] {
  const pages = new Map<number, State>()
  for (const { page, day, text, fields, published, isRemoved } of all.toSorted((a, b) => a.day - b.day)) {
    const seenAt = FIRST + day * DAY
    if (seenAt > at) continue
    const before = pages.get(page)
    if (isRemoved) pages.delete(page)
    else
      pages.set(page, {
        url: urlOf(page),
        text: words[text]!,
        fields,
        acquiredAt: before?.text === words[text] ? before!.acquiredAt : seenAt,
        publishedAt: published === undefined ? undefined : FIRST + published * DAY,
      })
  }
  return [...pages.values()]
}

const valuesOf = (state: State, name: string): unknown[] => {
  if (name === 'publishedAt') return state.publishedAt === undefined ? [] : [new Date(state.publishedAt)]
  if (name === 'acquiredAt') return [new Date(state.acquiredAt)]
  const value = state.fields[name]
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}

/** How the buckets of a facet are written, read by its name; calendar units by the digits of ISO dates. */
function bucketOf(facet: string, value: unknown): unknown {
  const [, interval] = facet.split(':')
  if (value instanceof Date) {
    const iso = value.toISOString()
    if (interval === undefined) return iso
    if (interval === 'hour') return `${iso.slice(0, 13)}:00:00Z`
    if (interval === 'day') return iso.slice(0, 10)
    if (interval === 'month') return `${iso.slice(0, 7)}-01`
    if (interval === 'year') return `${iso.slice(0, 4)}-01-01`
    const monday = new Date(value)
    monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7))
    return monday.toISOString().slice(0, 10)
  }
  if (interval === undefined || (value as number) > 1e200) return value
  const step = Number(interval)
  return Math.floor((value as number) / step) * step + 0
}

const order = (a: unknown, b: unknown) => (a === b ? 0 : (a as number) < (b as number) ? -1 : 1)

function naiveFacet(states: readonly State[], facet: string, most: number): FacetValue[] {
  const [name = ''] = facet.split(':')
  const beginning = /:(.*)\*$/.exec(facet)?.[1]
  const counts = new Map<unknown, { value: unknown; count: number }>()
  for (const state of states)
    for (const [bucket, value] of new Map<unknown, unknown>(
      valuesOf(state, name)
        .filter(value => beginning === undefined || String(value).startsWith(beginning))
        .map(value => [beginning === undefined ? bucketOf(facet, value) : value, value]),
    )) {
      const known = counts.get(bucket)
      if (!known || order(value, known.value) < 0) counts.set(bucket, { value, count: known?.count ?? 0 })
      counts.get(bucket)!.count++
    }
  const sorted = [...counts].sort(([, a], [, b]) => b.count - a.count || order(a.value, b.value))
  return sorted.slice(0, most).map(([bucket, { count }]) => ({ value: bucket as FacetValue['value'], count }))
}

function naiveOrder(states: readonly State[], sort: string): string[] {
  const keys = sort.split(',').map(byKey)
  return states
    .toSorted((a, b) => {
      for (const compare of keys) if (compare(a, b) !== 0) return compare(a, b)
      return b.acquiredAt - a.acquiredAt || order(a.url, b.url)
    })
    .map(({ url }) => url)
}

function byKey(key: string): (a: State, b: State) => number {
  const [name = '', direction = 'asc'] = key.split(':')
  const sign = direction === 'desc' ? -1 : 1
  const keyOf = (state: State): number | undefined =>
    valuesOf(state, name)
      .map(Number)
      .sort((a, b) => sign * (a - b))[0]
  const missing = (key: number | undefined) => Number(key === undefined)
  return (a, b) => {
    const [keyA, keyB] = [keyOf(a), keyOf(b)]
    return missing(keyA) - missing(keyB) || (keyA === keyB ? 0 : sign * (keyA! - keyB!))
  }
}

interface Question {
  query: string
  options: SearchOptions
  matches: (state: State) => boolean
}

const queries = fc.constantFrom('', 'lamp', 'sofa', 'lamp sofa')
const filters = fc.constantFrom<[FieldFilter | undefined, (state: State) => boolean]>(
  [undefined, () => true],
  [{ price: { gte: 3 } }, state => valuesOf(state, 'price').some(value => (value as number) >= 3)],
  [{ not: { tag: 'a' } }, state => !valuesOf(state, 'tag').includes('a')],
  [{ stock: true }, state => state.fields.stock === true],
)
const siteLists = fc.constantFrom<[SearchOptions, (host: string) => boolean]>(
  [{}, () => true],
  [{ sites: ['a.example', 'c.example'] }, host => host !== 'b.example'],
  [{ sites: ['b.example'] }, host => host === 'b.example'],
  [{ excludeSites: ['a.example', 'b.example'] }, host => host === 'c.example'],
  [{ sites: ['a.example', 'b.example'], excludeSites: ['b.example'] }, host => host === 'a.example'],
  [{ site: 'a.example', sites: ['a.example', 'b.example'] }, host => host === 'a.example'],
)
const windows = fc.constantFrom<[SearchOptions, (state: State) => boolean]>(
  [{}, () => true],
  [{}, () => true],
  [{ publishedAfter: FIRST - 3 * DAY }, ({ publishedAt = Number.NaN }) => publishedAt >= FIRST - 3 * DAY],
  [{ acquiredAfter: FIRST + 3 * DAY }, ({ acquiredAt }) => acquiredAt >= FIRST + 3 * DAY],
)

const questionsArbitrary: fc.Arbitrary<Question> = fc
  .tuple(queries, filters, siteLists, windows)
  .map(([query, [filter, passes], [sites, isOn], [window, isIn]]) => ({
    query,
    options: { mode: 'realtime', ...sites, ...window, filter },
    matches: state =>
      (query === '' || query.split(' ').some(word => state.text.split(' ').includes(word))) &&
      passes(state) &&
      isOn(new URL(state.url).hostname) &&
      isIn(state),
  }))

const facets = [
  'tag',
  'tag:a*',
  'price:5',
  'price:20',
  'stock',
  'released:month',
  'publishedAt:week',
  'acquiredAt:day',
] as const
const otherFacets = ['price', 'released', 'tag', 'publishedAt:year', 'acquiredAt:hour'] as const
const sorts = [
  'price,released:desc',
  'released:desc,price:asc',
  'price:desc,publishedAt,acquiredAt',
  'price',
  'price:desc',
  'released:asc',
  'released:desc',
  'publishedAt:desc',
  'publishedAt',
  'acquiredAt',
]

/** All results of a question, page by page. */
async function pages(
  engine: Engine,
  query: string,
  options: SearchOptions,
): Promise<{ urls: string[]; sizes: number[] }> {
  const urls: string[] = []
  const sizes: number[] = []
  for (let cursor: string | undefined; ; ) {
    const answer = await engine.search(query, { ...options, offset: cursor === undefined ? 0 : undefined, cursor })
    urls.push(...answer.results.map(({ url }) => url))
    sizes.push(answer.results.length)
    cursor = answer.next
    if (cursor === undefined) return { urls, sizes }
  }
}

it('counts, orders and pages like a naive reading as of every instant, across merges, revisions, removals and purges', async () => {
  const cases = fc.record({
    all: observations,
    merges: fc.integer(),
    purged: fc.option(fc.nat(7), { nil: undefined }),
    day: fc.constantFrom(0, 4, 8, 13, 300),
    asked: fc.array(questionsArbitrary, { minLength: 3, maxLength: 3 }),
    size: fc.integer({ min: 1, max: 4 }),
    most: fc.constantFrom(1, 2, 100),
  })
  await fc.assert(
    fc.asyncProperty(cases, async ({ all, merges, purged, day, asked, size, most }) => {
      const engine = await open(':memory:', { now: () => NOW, mergePolicy: randomMerges(merges) })
      try {
        for (let from = 0; from < all.length; from += 4) {
          const inputs = all.slice(from, from + 4).map(({ page, day, text, fields, published, isRemoved }) =>
            isRemoved
              ? { url: urlOf(page), removedAt: FIRST + day * DAY }
              : {
                  url: urlOf(page),
                  text: words[text]!,
                  fields,
                  acquiredAt: FIRST + day * DAY,
                  publishedAt: published === undefined ? undefined : FIRST + published * DAY,
                },
          )
          expect((await engine.add(inputs)).failures).toEqual([])
        }
        if (purged !== undefined) await engine.purge(urlOf(purged))
        const queryTime = FIRST + day * DAY
        const states = statesAt(
          all.filter(({ page }) => page !== purged),
          queryTime,
        )
        for (const { query, options, matches } of asked) {
          const expected = states.filter(matches)
          const asOf = { ...options, queryTime, maxResults: size }
          for (const list of [facets, otherFacets]) {
            const answer = await engine.search(query, { ...asOf, facets: list, maxFacetValues: most })
            const counts = list.map(facet => ({ field: facet, values: naiveFacet(expected, facet, most) }))
            expect(answer.facets).toEqual(counts)
            expect(answer.total).toEqual({ value: expected.length, exact: true })
          }
          for (const sort of sorts) {
            const { urls, sizes } = await pages(engine, query, { ...asOf, sort })
            expect(urls).toEqual(naiveOrder(expected, sort))
            expect(sizes.slice(0, -1).every(length => length === size)).toBe(true)
            const skipped = await engine.search(query, { ...asOf, sort, offset: 2 })
            expect(skipped.results.map(({ url }) => url)).toEqual(urls.slice(2, 2 + size))
          }
          for (const mode of ['realtime', 'pro'] as const) {
            const long = await engine.search(query, { ...asOf, mode, maxResults: 1_000 })
            const { urls } = await pages(engine, query, { ...asOf, mode })
            expect(urls).toEqual(long.results.map(({ url }) => url))
          }
        }
      } finally {
        await engine.close()
      }
    }),
    { numRuns: 6 },
  )
}, 300_000)
