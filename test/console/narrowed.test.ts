import { expect, it } from 'vitest'
import { narrowed } from '../../console/search/narrowed.ts'
import { readSearchState } from '../../console/search/search-state.ts'

const result = { title: '', url: 'https://a.example/', description: '' as const }
const results = [
  result,
  { ...result, fields: { tags: ['desk', 'lamp'], price: 15, sold: false, opened: { $date: '' } } },
]
const filter = (facet: string, value: string | number | boolean, given = '') => {
  const state = { ...readSearchState(new URLSearchParams(), 0), filter: given }
  const change = narrowed(state, results, facet, value)
  return change?.filter === undefined ? undefined : JSON.parse(change.filter)
}

it('makes the value of a facet a condition of the type that the field has', () => {
  expect(filter('tags', '12')).toEqual({ tags: '12' })
  expect(filter('price', 15)).toEqual({ price: 15 })
  expect(filter('price:10', 10)).toEqual({ price: { gte: 10, lt: 20 } })
  expect(filter('sold', true)).toEqual({ sold: true })
  expect(filter('tags:de*', 'desk')).toEqual({ tags: 'desk' })
  expect(filter('tags', 'desk', '{"price":{"lt":20},"tags":"lamp"}')).toEqual({ price: { lt: 20 }, tags: 'desk' })
})

it('makes none of a span of time, or of a field that no result has', () => {
  expect(filter('opened:month', '2025-05-01')).toBeUndefined()
  expect(filter('opened', '2025-05-01')).toBeUndefined()
  expect(filter('published_at:year', '2025-01-01')).toBeUndefined()
  expect(filter('other', 'a')).toBeUndefined()
})
