import { expect, it } from 'vitest'
import { evenly } from '../../../bench/quality/evenly.ts'

it.each([
  [3, [0, 3, 6]],
  [1, [0]],
  [9, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  [20, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
])('returns %d of nine items evenly spaced', (most, expected) => {
  expect(evenly([0, 1, 2, 3, 4, 5, 6, 7, 8], most)).toEqual(expected)
})
