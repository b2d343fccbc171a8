import { describe, expect, it } from 'vitest'
import { CandidateVectors } from '../../../../core/search/rerank/candidate-vectors.ts'
import { neighborEvidence } from '../../../../core/search/rerank/neighbors.ts'
import { candidateIdf, cosine, unitVectors } from '../../../../core/search/rerank/unit-vectors.ts'
import { termVector } from './term-vectors.ts'

function unitsOf(...texts: string[]) {
  const { vectors, terms } = new CandidateVectors(texts.map(text => termVector(...text.split(' '))))
  return { units: unitVectors(vectors, candidateIdf(vectors, terms)), terms }
}

describe('the neighbors signal', () => {
  const { units, terms } = unitsOf('river ferry water', 'ferry water stone', 'bank money water', 'bank coin', 'unlike')
  const trust = [1, 0.5, 0.25, 0.125, 1]
  const similarity = (one: number, other: number): number => {
    const byTerm = new Float64Array(terms)
    units[one]!.terms.forEach((term, i) => {
      byTerm[term] = units[one]!.weights[i]!
    })
    return cosine(units[other]!, byTerm)
  }

  it('is the sum of trust times similarity over the most similar candidates', () => {
    neighborEvidence(units, terms, trust, 2).forEach((found, one) => {
      const others = units.map((_, other) => other).filter(other => other !== one)
      const nearest = others.sort((a, b) => similarity(one, b) - similarity(one, a)).slice(0, 2)
      expect(found).toBeCloseTo(
        nearest.reduce((sum, other) => sum + similarity(one, other) * trust[other]!, 0),
        12,
      )
    })
  })

  it('is 0 for a page that is similar to no other, and for a single page', () => {
    expect(neighborEvidence(units, terms, trust, 3)[4]).toBe(0)
    expect([...neighborEvidence(units.slice(0, 1), terms, [1], 5)]).toEqual([0])
  })

  it('uses all other candidates if there are fewer than k', () => {
    expect([...neighborEvidence(units, terms, trust, 50)]).toEqual([...neighborEvidence(units, terms, trust, 4)])
  })
})
