import { describe, expect, it } from 'vitest'
import { CandidateVectors } from '../../../../core/search/rerank/candidate-vectors.ts'
import { feedbackSimilarity, relevanceModel } from '../../../../core/search/rerank/relevance-feedback.ts'
import { candidateIdf, unitVectors } from '../../../../core/search/rerank/unit-vectors.ts'
import { termVector } from './term-vectors.ts'

const vectorsOf = (...texts: string[]) => new CandidateVectors(texts.map(text => termVector(...text.split(' '))))

describe('relevance feedback', () => {
  const candidates = vectorsOf('river ferry water', 'ferry water river', 'river bank money', 'river')
  const idf = candidateIdf(candidates.vectors, candidates.terms)
  const units = unitVectors(candidates.vectors, idf)
  const good = { pages: [0], trust: [1] }

  it('numbers terms in the order of their first appearance', () => {
    expect(candidates.terms).toBe(5)
    expect(candidates.vectors.map(({ terms }) => [...terms])).toEqual([[0, 1, 2], [1, 2, 0], [0, 3, 4], [0]])
  })

  it('gives a term less weight the more candidates contain it', () => {
    expect(idf[0]).toBeLessThan(idf[1]!)
    expect(idf[1]).toBeLessThan(idf[3]!)
    expect(idf[1]).toBeCloseTo(Math.log(1 + 2.5 / 2.5), 12)
  })

  it('raises candidates similar to the feedback pages, and these themselves by the given share', () => {
    const [self, same = 0, other = 0, alone] = feedbackSimilarity(units, candidates.terms, good, 0)
    expect(self).toBeCloseTo(0, 12)
    expect(same).toBeCloseTo(1, 12)
    expect(other).toBeLessThan(same)
    expect(other).toBeGreaterThan(0)
    expect(alone).toBeLessThan(same)
    expect(feedbackSimilarity(units, candidates.terms, good, 0.5)[0]).toBeCloseTo(0.5, 12)
    expect(feedbackSimilarity(units, candidates.terms, good, 0.5)[1]).toBe(same)
  })

  it('adds up over the feedback pages, each weighted by its trust', () => {
    const one = feedbackSimilarity(units, candidates.terms, good, 0.5)
    const two = feedbackSimilarity(units, candidates.terms, { pages: [0, 2], trust: [1, 0.5] }, 0.5)
    const other = feedbackSimilarity(units, candidates.terms, { pages: [2], trust: [0.5] }, 0.5)
    for (const [c, sum] of two.entries()) expect(sum).toBeCloseTo(one[c]! + other[c]!, 12)
  })

  it('gives nothing to candidates that share no term with the feedback pages', () => {
    const apart = new CandidateVectors([termVector('river'), termVector('stone', 'bridg'), termVector()])
    const apartUnits = unitVectors(apart.vectors, candidateIdf(apart.vectors, apart.terms))
    expect([...feedbackSimilarity(apartUnits, apart.terms, { pages: [0, 2], trust: [1, 0.5] }, 1)]).toEqual([1, 0, 0])
  })

  it('raises candidates that contain the most likely words of the feedback pages', () => {
    const options = { terms: 10, lengths: [3, 3, 3, 1], saturation: [1, 1, 1, 1] }
    const [, same = 0, other = 0] = relevanceModel(candidates.vectors, idf, good, options)
    expect(same).toBeGreaterThan(other)
    expect(other).toBeGreaterThan(0)
    const [first, second] = relevanceModel(vectorsOf('river river ferry', 'ferry', 'river').vectors, idf, good, {
      ...options,
      terms: 1,
    })
    expect(first).toBeGreaterThan(0)
    expect(second).toBe(0)
  })
})
