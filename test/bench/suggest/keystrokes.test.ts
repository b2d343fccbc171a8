import { expect, it } from 'vitest'
import { typedBeginnings } from '../../../bench/suggest/keystrokes.ts'

it('types titles by whole characters, at most sixteen, and skips empty titles', () => {
  expect(typedBeginnings(['', ' é🙂b '], 2, 1)).toEqual(['é', 'é🙂', 'é🙂b', 'é', 'é🙂', 'é🙂b'])
  expect(typedBeginnings(['x'.repeat(99)], 1, 1).map(text => text.length)).toEqual(
    Array.from({ length: 16 }, (_, i) => i + 1),
  )
  expect(typedBeginnings(['one', 'two'], 20, 7)).toEqual(typedBeginnings(['one', 'two'], 20, 7))
  expect(typedBeginnings([' '], 3, 1)).toEqual([])
})
