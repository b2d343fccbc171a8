import { describe, expect, it } from 'vitest'
import { candidateIdf, consensus, expansion } from '../../../../core/search/pro/agreement.ts'
import { CandidateTexts } from '../../../../core/search/pro/candidate-texts.ts'

const textsOf = (...texts: string[]) =>
  new CandidateTexts(
    ['river'],
    texts.map(text => ({ title: '', text })),
  )

describe('what candidates have in common', () => {
  const texts = textsOf('river ferry water', 'ferry water river', 'river bank money', 'river')
  const idf = candidateIdf(texts.vectors, texts.terms)
  const good = { pages: [0], trust: [1] }

  it('numbers the terms of the query first, then the others as they come', () => {
    expect(Array.from({ length: texts.terms }, (_, t) => texts.term(t))).toEqual([
      'river',
      'ferri',
      'water',
      'bank',
      'money',
    ])
  })

  it('speaks for what is like the good ones, and never for a page by itself', () => {
    const [self, same, other] = consensus(texts.vectors, idf, good)
    expect(self).toBe(0)
    expect(same).toBeCloseTo(1, 12)
    expect(other).toBeLessThan(same)
  })

  it('speaks for the words of the good ones, but those left out', () => {
    const options = { terms: 10, leave: (term: number) => term === 0, saturation: [1, 1, 1, 1] }
    const [, same, other] = expansion(texts.vectors, idf, good, options)
    expect(same).toBeGreaterThan(0)
    expect(other).toBe(0)
  })

  it('counts a title as the ranking model does', () => {
    const { vectors } = new CandidateTexts(['river'], [{ title: 'River', text: 'river water' }])
    expect(vectors[0]).toEqual({
      terms: Int32Array.of(0, 1),
      frequencies: Float64Array.of(4, 1),
      length: 5,
    })
  })
})
