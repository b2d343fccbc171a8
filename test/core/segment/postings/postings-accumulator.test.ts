import { describe, expect, it } from 'vitest'
import { PostingsAccumulator } from '../../../../core/segment/postings/postings-accumulator.ts'

function gathered(ordinals: number[]): PostingsAccumulator {
  const postings = new PostingsAccumulator()
  postings.reserve(ordinals.length, ordinals.length)
  for (const ordinal of ordinals) {
    postings.ordinals[postings.count] = ordinal
    postings.frequencies[postings.count] = 1
    postings.positionLengths[postings.count++] = 1
    postings.positions[postings.positionBytes++] = ordinal
  }
  return postings
}

describe('the postings accumulator', () => {
  it('sorts postings by ordinal, with their positions', () => {
    const { count, ordinals, positions } = gathered([7, 2, 9, 1]).sorted()
    expect([...ordinals.subarray(0, count)]).toEqual([1, 2, 7, 9])
    expect([...positions.subarray(0, count)]).toEqual([1, 2, 7, 9])
  })

  it('begins again with as much room as requested, or as it had', () => {
    const postings = gathered([7, 2, 9, 1])
    postings.begin(5000, 70_000)
    expect([postings.count, postings.positionBytes]).toEqual([0, 0])
    const room = () => [postings.ordinals, postings.frequencies, postings.positionLengths, postings.positions]
    expect(room().map(({ length }) => length)).toEqual([5000, 5000, 5000, 70_000])
    postings.begin(1, 1)
    expect(room().map(({ length }) => length)).toEqual([5000, 5000, 5000, 70_000])
  })

  it.each([[[3, 3]], [[5, 2, 5]]])('rejects two postings of one capture: %j', ordinals => {
    expect(() => gathered(ordinals).sorted()).toThrow('a capture has one term twice')
  })
})
