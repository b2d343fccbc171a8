import { expect, it } from 'vitest'
import { comparisonsOf, ordersBy, toggled, withCondition } from '../../console/search/field-conditions.ts'

const price = { name: 'price', type: 'number' } as const
const tags = { name: 'tags', type: 'keyword' } as const
const sold = { name: 'sold', type: 'boolean' } as const
const opened = { name: 'opened', type: 'instant' } as const

it('makes a condition of the type of the field', () => {
  expect(withCondition('', price, 'is', ' 12.5 ')).toBe('{"price":12.5}')
  expect(withCondition('', tags, 'is', '12')).toBe('{"tags":"12"}')
  expect(withCondition('', tags, 'begins', 'de')).toBe('{"tags":{"prefix":"de"}}')
  expect(withCondition('', sold, 'is', 'false')).toBe('{"sold":false}')
  expect(withCondition('', opened, 'from', '7d')).toBe('{"opened":{"gte":"7d"}}')
  expect(withCondition('', price, 'missing', '')).toBe('{"price":{"exists":false}}')
})

it('keeps the other conditions, and joins the two ends of a range', () => {
  const from = withCondition('{"tags":"desk","price":3}', price, 'from', '10')!
  expect(JSON.parse(from)).toEqual({ tags: 'desk', price: { gte: 10 } })
  const both = withCondition(from, price, 'until', '20')!
  expect(JSON.parse(both)).toEqual({ tags: 'desk', price: { gte: 10, lte: 20 } })
  expect(JSON.parse(withCondition(both, price, 'until', '30')!)).toEqual({ tags: 'desk', price: { gte: 10, lte: 30 } })
  expect(JSON.parse(withCondition(both, price, 'is', '5')!)).toEqual({ tags: 'desk', price: 5 })
})

it('makes none of a text that is no value of the type, or for a filter that is no JSON object', () => {
  expect(withCondition('', price, 'is', 'cheap')).toBeUndefined()
  expect(withCondition('', price, 'is', ' ')).toBeUndefined()
  expect(withCondition('', sold, 'is', 'yes')).toBeUndefined()
  expect(withCondition('{"a"', tags, 'is', 'x')).toBeUndefined()
  expect(withCondition('[1]', tags, 'is', 'x')).toBeUndefined()
})

it('offers comparisons and orders that the type has', () => {
  expect(comparisonsOf('boolean')).toEqual(['is', 'exists', 'missing'])
  expect(comparisonsOf('text')).toEqual(['exists', 'missing'])
  const none = { pages: 1, examples: [] }
  expect(ordersBy([price, tags, opened].map(field => ({ ...field, ...none })))).toEqual([
    'price:asc',
    'price:desc',
    'opened:asc',
    'opened:desc',
  ])
})

it('adds a name to a list of facets, and takes it out', () => {
  expect(toggled('', 'tags')).toBe('tags')
  expect(toggled('price:10 ,tags', 'sold')).toBe('price:10, tags, sold')
  expect(toggled('price:10, tags', 'tags')).toBe('price:10')
})
