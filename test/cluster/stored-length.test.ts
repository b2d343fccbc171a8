import { expect, it } from 'vitest'
import { storedLength } from '../../cluster/candidates.ts'

it('keeps lengths below 40 as they are, and four binary digits of what longer ones have above 24', () => {
  const lengths = [0, 1, 39, 40, 41, 42, 55, 56, 57, 60, 87, 88, 95, 96, 300, 100_000]
  expect(lengths.map(storedLength)).toEqual([0, 1, 39, 40, 40, 42, 54, 56, 56, 60, 84, 88, 88, 96, 280, 98_328])
})
