import { describe, expect, it } from 'vitest'
import { measure } from '../../../service/evaluate/ranking-measures.ts'

/** Worked out by hand from the definitions of trec_eval: linear gain, log2(rank + 1), 0 for what is not judged. */
describe('the measures of a ranking', () => {
  const grades = new Map([
    ['a', 3],
    ['b', 2],
    ['c', 1],
    ['d', 0],
  ])

  it('discount the gains by the logarithm of the rank, against the best order', () => {
    const gained = 2 / Math.log2(2) + 3 / Math.log2(4)
    const ideal = 3 / Math.log2(2) + 2 / Math.log2(3) + 1 / Math.log2(4)
    expect(measure(['b', 'd', 'a'], grades)['nDCG@10']).toBeCloseTo(gained / ideal, 12)
    expect(measure(['a', 'b', 'c'], grades)['nDCG@10']).toBe(1)
  })

  it('take the precision at each relevant document, over all that are relevant', () => {
    expect(measure(['d', 'a', 'x', 'c'], grades).MAP).toBeCloseTo((1 / 2 + 2 / 4) / 3, 12)
    expect(measure(['a', 'b', 'c'], grades).MAP).toBe(1)
  })

  it('look for the first relevant document within ten', () => {
    const ten = Array.from({ length: 10 }, (_, i) => `x${i}`)
    expect(measure(['x', 'd', 'c'], grades)).toMatchObject({ 'MRR@10': 1 / 3, 'success@1': 0 })
    expect(measure([...ten, 'a'], grades)).toMatchObject({ 'MRR@10': 0, 'nDCG@10': 0, 'Recall@100': 1 / 3 })
    expect(measure(['c'], grades)['success@1']).toBe(1)
  })

  it('stop counting recall at a hundred and precision at a thousand', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `x${i}`)
    expect(measure([...many.slice(0, 100), 'a'], grades)).toMatchObject({ 'Recall@100': 0, MAP: 1 / 101 / 3 })
    expect(measure([...many, 'a'], grades).MAP).toBe(0)
    expect(measure([...many.slice(0, 99), 'a'], grades)['Recall@100']).toBe(1 / 3)
  })

  it('of an empty ranking are all 0', () => {
    expect(Object.values(measure([], grades))).toEqual([0, 0, 0, 0, 0])
  })
})
