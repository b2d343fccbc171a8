import type { NumberedVector } from './candidate-vectors.ts'
import { cosine, type UnitVector } from './unit-vectors.ts'

/** Candidates that are taken for good, by number, the best first, and how far each is trusted: the best 1. */
export interface GoodPages {
  pages: readonly number[]
  trust: readonly number[]
}

/**
 * How like the good candidates each one is (score regularisation: Diaz, CIKM 2005): the sum of the cosines with them, each
 * times its trust, over vectors of (1 + ln tf) · idf.
 *
 * @param self - how much the cosine of a good one with itself, which is 1, counts. For 0 it would stand behind those that
 *   are like it, though it is why they are liked; for 1 that it is good would be counted twice.
 */
export function consensus(
  vectors: readonly UnitVector[],
  terms: number,
  { pages, trust }: GoodPages,
  self: number,
): Float64Array {
  // The good ones together in one vector: a cosine with their sum is the sum of the cosines.
  const good = new Float64Array(terms)
  pages.forEach((page, p) => {
    const { terms: own, weights } = vectors[page]
    for (let i = 0; i < own.length; i++) good[own[i]] += weights[i] * trust[p]
  })
  const evidence = Float64Array.from(vectors, vector => cosine(vector, good))
  pages.forEach((page, p) => {
    if (vectors[page].weights.length > 0) evidence[page] -= (1 - self) * trust[p]
  })
  return evidence
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
  const weights = new Float64Array(idf.length)
  for (const term of likeliest(met, likely, options.terms)) weights[term] = likely[term] * idf[term]
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

/** The best so many terms; of equally likely ones those that come first. */
function likeliest(terms: readonly number[], likely: Float64Array, most: number): Int32Array {
  const best = new Int32Array(Math.min(most, terms.length))
  let found = 0
  for (const term of terms) {
    const goesBefore = (other: number): boolean =>
      likely[term] > likely[other] || (likely[term] === likely[other] && term < other)
    if (found === best.length && !goesBefore(best[found - 1])) continue
    let at = found < best.length ? found++ : found - 1
    for (; at > 0 && goesBefore(best[at - 1]); at--) best[at] = best[at - 1]
    best[at] = term
  }
  return best
}
