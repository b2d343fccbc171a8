import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Engine, type Fields, open, type SearchOptions } from '../../../../core/index.ts'

let engine: Engine

beforeAll(async () => {
  engine = await open(':memory:')
  const fields: Fields[] = [
    { tags: ['zeta', '2024', 'de:sk*.a'], price: 5, sold: true, seen: new Date('2024-05-06T07:08:09Z') },
    { tags: ['zeta', '10'], price: 12, sold: false, debt: -Number.MAX_VALUE },
    { tags: ['9', 'de:sk*.b'], price: 14, sold: true },
  ]
  const { failures } = await engine.add(
    fields.map((fields, i) => ({ url: `https://a.example/${i}`, text: 'lamp', fields })),
  )
  expect(failures).toEqual([])
})
afterAll(() => engine.close())

const facetsOf = async (facets: string[], options?: SearchOptions) =>
  (await engine.search('', { ...options, facets })).facets
const shown = async (facet: string, options?: SearchOptions) =>
  (await facetsOf([facet], options))![0]!.values.map(({ value, count }) => [value, count])

it('keeps the order of the counts when values look like integers', async () => {
  expect(await shown('tags')).toEqual([
    ['zeta', 2],
    ['10', 1],
    ['2024', 1],
    ['9', 1],
    ['de:sk*.a', 1],
    ['de:sk*.b', 1],
  ])
})

it('gives values the type of their field, and instants as text', async () => {
  expect(await shown('price', { maxFacetValues: 2 })).toEqual([
    [5, 1],
    [12, 1],
  ])
  expect(await shown('sold')).toEqual([
    [true, 2],
    [false, 1],
  ])
  expect(await shown('seen')).toEqual([['2024-05-06T07:08:09.000Z', 1]])
  expect(await shown('seen:month')).toEqual([['2024-05-01', 1]])
})

it('counts one field in several ways, each under the text that asked for it', async () => {
  expect(await facetsOf(['price:10', 'price:100', 'price:1e2'])).toEqual([
    {
      field: 'price:10',
      values: [
        { value: 10, count: 2 },
        { value: 0, count: 1 },
      ],
    },
    { field: 'price:100', values: [{ value: 0, count: 3 }] },
    { field: 'price:1e2', values: [{ value: 0, count: 3 }] },
  ])
})

it('begins a bucket at the lowest number if a multiple of the interval would be infinite', async () => {
  expect(await shown('debt:1e308')).toEqual([[-Number.MAX_VALUE, 1]])
})

it('counts only the keywords that begin with a text, in which only the last asterisk is a sign', async () => {
  expect(await shown('tags:de:sk*.*')).toEqual([
    ['de:sk*.a', 1],
    ['de:sk*.b', 1],
  ])
  expect(await shown('tags:2*')).toEqual([['2024', 1]])
  expect(await shown('tags:*', { maxFacetValues: 1 })).toEqual([['zeta', 2]])
  expect(await shown('tags:Z*')).toEqual([])
  expect(await shown('tags:ze*', { filter: { price: { gt: 10 } } })).toEqual([['zeta', 1]])
})

it('rejects a beginning of what is no keyword, and a beginning longer than any keyword', async () => {
  const rejection = { code: 'ASOF_INVALID_OPTION', details: { field: 'facets' } }
  for (const facet of ['price:1*', 'sold:t*', 'seen:2*', 'publishedAt:2*', `tags:${'a'.repeat(257)}*`])
    await expect(facetsOf([facet])).rejects.toMatchObject(rejection)
})
