import type { NumberedVector } from './candidate-vectors.ts'

/** The terms of a candidate with their tf-idf weights, normalized to length 1; empty for a candidate without terms. */
export interface UnitVector {
  terms: Int32Array
  weights: Float64Array
}

/** 1 + ln of a frequency in a term vector. */
const damped = Float64Array.from({ length: 256 }, (_, frequency) => (frequency > 0 ? 1 + Math.log(frequency) : 0))

/**
 * Inverse document frequency over the candidates, ln(1 + (n − df + ½) / (df + ½)): words that most candidates contain do not
 * distinguish them.
 */
export function candidateIdf(vectors: readonly NumberedVector[], terms: number): Float64Array {
  const holding = new Uint32Array(terms)
  const lastHolder = new Int32Array(terms).fill(-1)
  vectors.forEach((vector, v) => {
    for (let i = 0; i < vector.terms.length; i++) {
      const term = vector.terms[i]!
      // Two terms of a page with the same hash count as one term, which the page contains once.
      if (lastHolder[term] === v) continue
      lastHolder[term] = v
      holding[term]!++
    }
  })
  const byCount = new Float64Array(vectors.length + 1)
  for (let count = 0; count <= vectors.length; count++)
    byCount[count] = Math.log(1 + (vectors.length - count + 0.5) / (count + 0.5))
  // A loop, because `Float64Array.from` would call an iterator for some thousand numbers.
  const idf = new Float64Array(terms)
  for (let term = 0; term < terms; term++) idf[term] = byCount[holding[term]!]!
  return idf
}

/** The normalized vector of (1 + ln tf) · idf of each candidate. */
export function unitVectors(vectors: readonly NumberedVector[], idf: Float64Array): UnitVector[] {
  const buffer = new Float64Array(vectors.reduce((sum, vector) => sum + vector.terms.length, 0))
  let taken = 0
  return vectors.map(vector => {
    const weights = buffer.subarray(taken, taken + vector.terms.length)
    taken += vector.terms.length
    weigh(vector, idf, weights)
    return { terms: vector.terms, weights }
  })
}

/** The cosine of a vector with a dense one, which has a weight for each term number. */
export function cosine({ terms, weights }: UnitVector, byTerm: Float64Array): number {
  let product = 0
  for (let i = 0; i < terms.length; i++) product += weights[i]! * byTerm[terms[i]!]!
  return product
}

/** Sets the weights of the terms of a vector and divides them by its length. */
function weigh({ terms, frequencies }: NumberedVector, idf: Float64Array, weights: Float64Array): void {
  let squares = 0
  for (let i = 0; i < terms.length; i++) {
    weights[i] = damped[frequencies[i]!]! * idf[terms[i]!]!
    squares += weights[i]! * weights[i]!
  }
  if (squares > 0) {
    const norm = Math.sqrt(squares)
    for (let i = 0; i < weights.length; i++) weights[i]! /= norm
  }
}
