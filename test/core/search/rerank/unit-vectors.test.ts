import { expect, it } from 'vitest'
import { CandidateVectors } from '../../../../core/search/rerank/candidate-vectors.ts'
import { candidateIdf, cosine, unitVectors } from '../../../../core/search/rerank/unit-vectors.ts'
import { termVector } from './term-vectors.ts'

// Two words with the same hash, found by trial.
const twins = ['w351x', 'w456x']

it('two terms of a page with the same hash count as one term', () => {
  const { vectors, terms } = new CandidateVectors([termVector('alone', ...twins)])
  expect([...vectors[0]!.terms]).toEqual([0, 1, 1])
  const idf = candidateIdf(vectors, terms)
  expect([...idf]).toEqual([Math.log(1 + 0.5 / 1.5), Math.log(1 + 0.5 / 1.5)])
  const unit = unitVectors(vectors, idf)[0]!
  const byTerm = new Float64Array(terms)
  for (let i = 0; i < unit.terms.length; i++) byTerm[unit.terms[i]!]! += unit.weights[i]!
  expect(cosine(unit, byTerm)).toBeGreaterThanOrEqual(1)
})

it('a term has less weight the more candidates contain it', () => {
  const { vectors, terms } = new CandidateVectors([termVector('both', 'one'), termVector('both', 'other')])
  const idf = candidateIdf(vectors, terms)
  const idfOf = (count: number) => Math.log(1 + (2 - count + 0.5) / (count + 0.5))
  expect([...idf]).toEqual([idfOf(2), idfOf(1), idfOf(1)])
})
