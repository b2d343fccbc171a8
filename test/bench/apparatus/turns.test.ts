import { describe, expect, it } from 'vitest'
import { interleave } from '../../../bench/apparatus/turns.ts'

describe('interleave', () => {
  it('gives every slice to each engine once, and begins each slice with another engine', () => {
    const turns = [...interleave(['a', 'b'], [1, 2, 3, 4, 5], 2)]
    expect(turns.map(({ engine, slice }) => `${engine}${slice.join('')}`)).toEqual([
      'a12',
      'b12',
      'b34',
      'a34',
      'a5',
      'b5',
    ])
  })
})
