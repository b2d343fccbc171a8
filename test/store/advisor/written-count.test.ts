import { expect, it } from 'vitest'
import { goalWords } from '../../../store/advisor/goal-words.ts'
import { writtenCount } from '../../../store/advisor/written-count.ts'

const count = (text: string) => writtenCount(goalWords(text), 0)?.count

it('reads digits, words and scales', () => {
  expect(['1,000', '2.5k', '0.1', 'two hundred', 'a dozen', '3 million', 'single'].map(count)).toEqual([
    1_000, 2_500, 1, 200, 12, 3_000_000, 1,
  ])
})

it('is limited', () => expect(count(`${'9'.repeat(999)} million`)).toBe(1_000_000_000))

it('reads no count from other words', () => {
  expect(['', 'a day', 'hundred', '$500', 'constructor'].map(count)).toEqual(Array(5).fill(undefined))
})
