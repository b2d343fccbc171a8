import type { CandidateVectors, NumberedVector } from './candidate-vectors.ts'

/** Candidates that are taken for good, by number, the best first, and how far each is trusted: the best 1. */
export interface GoodPages {
  pages: readonly number[]
  trust: readonly number[]
}

/** 1 + ln of a frequency in a term vector. */
const damped = Float64Array.from({ length: 256 }, (_, frequency) => (frequency > 0 ? 1 + Math.log(frequency) : 0))

/** ln(1 + (n − df + ½) / (df + ½)) over the candidates: words that most of them have tell nothing apart. */
export function candidateIdf({ vectors, terms }: CandidateVectors): Float64Array {
  const holding = new Uint32Array(terms)
  for (const vector of vectors) for (let i = 0; i < vector.terms.length; i++) holding[vector.terms[i]]++
  const byCount = new Float64Array(vectors.length + 1)
  for (let count = 0; count <= vectors.length; count++)
    byCount[count] = Math.log(1 + (vectors.length - count + 0.5) / (count + 0.5))
  // Not `from`, which asks an iterator for each of some thousand numbers.
  const idf = new Float64Array(terms)
  for (let term = 0; term < terms; term++) idf[term] = byCount[holding[term]]
  return idf
}

/**
 * How like the good candidates each one is (score regularisation: Diaz, CIKM 2005): the sum of the cosines with them, each
 * times its trust, over vectors of (1 + ln tf) · idf.
 *
 * @param self - how much the cosine of a good one with itself, which is 1, counts. For 0 it would stand behind those that
 *   are like it, though it is why they are liked; for 1 that it is good would be counted twice.
 */
export function consensus(
  vectors: readonly NumberedVector[],
  idf: Float64Array,
  { pages, trust }: GoodPages,
  self: number,
): Float64Array {
  const weights = vectors.map(vector => weigh(vector, idf))
  // The good ones together in one vector: a cosine with their sum is the sum of the cosines.
  const good = new Float64Array(idf.length)
  pages.forEach((page, p) => {
    const { terms } = vectors[page]
    for (let i = 0; i < terms.length; i++) good[terms[i]] += weights[page][i] * trust[p]
  })
  const evidence = Float64Array.from(vectors, ({ terms }, c) => {
    const own = weights[c]
    let product = 0
    for (let i = 0; i < terms.length; i++) product += own[i] * good[terms[i]]
    return product
  })
  pages.forEach((page, p) => {
    if (weights[page].length > 0) evidence[page] -= (1 - self) * trust[p]
  })
  return evidence
}

/** The weights of a vector's terms, divided by its length. */
function weigh({ terms, frequencies }: NumberedVector, idf: Float64Array): Float64Array {
  const weights = new Float64Array(terms.length)
  let squares = 0
  for (let i = 0; i < terms.length; i++) {
    weights[i] = damped[frequencies[i]] * idf[terms[i]]
    squares += weights[i] * weights[i]
  }
  if (squares > 0) {
    const norm = Math.sqrt(squares)
    for (let i = 0; i < weights.length; i++) weights[i] /= norm
  }
  return weights
}

/**
 * BM25 of each candidate for the words that the good ones use most (RM1: Lavrenko and Croft, SIGIR 2001).
 *
 * @param options.lengths - of each candidate, weighted as the ranking model has it.
 * @param options.saturation - per candidate, the frequency at which a term counts half.
 */
export function expansion(
  vectors: readonly NumberedVector[],
  idf: Float64Array,
  good: GoodPages,
  options: { terms: number; lengths: readonly number[]; saturation: readonly number[] },
): Float64Array {
  const likely = new Float64Array(idf.length)
  const met: number[] = []
  good.pages.forEach((page, p) => {
    const { terms, frequencies } = vectors[page]
    const share = good.trust[p] / Math.max(1, options.lengths[page])
    for (let i = 0; i < terms.length; i++) {
      if (likely[terms[i]] === 0) met.push(terms[i])
      likely[terms[i]] += share * frequencies[i]
    }
  })
  met.sort((a, b) => likely[b] - likely[a] || a - b)
  const weights = new Float64Array(idf.length)
  for (const term of met.slice(0, options.terms)) weights[term] = likely[term] * idf[term]
  return Float64Array.from(vectors, ({ terms, frequencies }, c) => {
    const saturation = options.saturation[c]
    let sum = 0
    for (let i = 0; i < terms.length; i++) {
      const weight = weights[terms[i]]
      if (weight > 0) sum += (weight * frequencies[i]) / (frequencies[i] + saturation)
    }
    return sum
  })
}
