import { describe, expect, it } from 'vitest'
import { interleave } from '../../../bench/apparatus/turns.ts'

describe('engines by turns', () => {
  it('answer every question once each, a slice at a time, and take turns to begin', () => {
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
