import { expect, it } from 'vitest'
import { plainQuery } from '../../../service/evaluate/plain-query.ts'

it('a plain query has no quotation marks, exclusions or site filter', () => {
  expect(plainQuery('“stone bridge” -river well-known site:x "a')).toBe(' stone bridge  river well-known site x  a')
})

it('a plain query can keep its quotation marks', () => {
  expect(plainQuery('“stone bridge” -river', { quoted: true })).toBe('“stone bridge” river')
})

it('a plain query is cut to 2,048 characters, never inside one', () => {
  expect(plainQuery('😀'.repeat(3_000))).toBe('😀'.repeat(2_048))
})
