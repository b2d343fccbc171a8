import { describe, expect, it } from 'vitest'
import { GatheredPostings } from '../../../core/segment/gathered-postings.ts'

function gathered(ordinals: number[]): GatheredPostings {
  const postings = new GatheredPostings()
  postings.reserve(ordinals.length, ordinals.length)
  for (const ordinal of ordinals) {
    postings.ordinals[postings.count] = ordinal
    postings.frequencies[postings.count] = 1
    postings.positionLengths[postings.count++] = 1
    postings.positions[postings.positionBytes++] = ordinal
  }
  return postings
}

describe('gathered postings', () => {
  it('are sorted by ordinal, positions with them', () => {
    const { count, ordinals, positions } = gathered([7, 2, 9, 1]).sorted()
    expect([...ordinals.subarray(0, count)]).toEqual([1, 2, 7, 9])
    expect([...positions.subarray(0, count)]).toEqual([1, 2, 7, 9])
  })

  it.each([[[3, 3]], [[5, 2, 5]]])('never name a capture twice: %j', ordinals => {
    expect(() => gathered(ordinals).sorted()).toThrow('a capture has one term twice')
  })
})
