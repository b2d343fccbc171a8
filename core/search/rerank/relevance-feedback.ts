import type { NumberedVector } from './candidate-vectors.ts'
import { cosine, type UnitVector } from './unit-vectors.ts'

/**
 * The feedback set (pseudo-relevance feedback): the best candidates, by index, best first, with the trust in each. The trust
 * in the best is 1.
 */
export interface FeedbackPages {
  pages: readonly number[]
  trust: readonly number[]
}

/**
 * Measures how similar each candidate is to the feedback set (score regularization: Diaz, CIKM 2005): the sum of the cosines with its pages,
 * each times the trust in the page, over vectors of (1 + ln tf) · idf.
 *
 * @param self - weight of the cosine of a feedback page with itself, which is 1. With 0 the page would fall behind candidates that are merely
 *   similar to it; with 1 its own score would count twice.
 */
export function feedbackSimilarity(
  vectors: readonly UnitVector[],
  terms: number,
  { pages, trust }: FeedbackPages,
  self: number,
): Float64Array {
  // The cosine with the sum of the vectors is the sum of the cosines.
  const centroid = new Float64Array(terms)
  pages.forEach((page, p) => {
    const { terms: own, weights } = vectors[page]!
    for (let i = 0; i < own.length; i++) centroid[own[i]!]! += weights[i]! * trust[p]!
  })
  const evidence = Float64Array.from(vectors, vector => cosine(vector, centroid))
  pages.forEach((page, p) => {
    if (vectors[page]!.weights.length > 0) evidence[page]! -= (1 - self) * trust[p]!
  })
  return evidence
}

/**
 * Expands the query by relevance feedback (RM1: Lavrenko and Croft, SIGIR 2001): the BM25 score of each candidate for the
 * words that are most likely in the feedback set.
 *
 * @param options.terms - maximum number of words of the expanded query.
 * @param options.lengths - weighted length of each candidate.
 * @param options.saturation - for each candidate the frequency at which a term has half of its maximum score.
 */
export function relevanceModel(
  vectors: readonly NumberedVector[],
  idf: Float64Array,
  feedback: FeedbackPages,
  options: { terms: number; lengths: readonly number[]; saturation: readonly number[] },
): Float64Array {
  const likely = new Float64Array(idf.length)
  const seen: number[] = []
  feedback.pages.forEach((page, p) => {
    const { terms, frequencies } = vectors[page]!
    const share = feedback.trust[p]! / Math.max(1, options.lengths[page]!)
    for (let i = 0; i < terms.length; i++) {
      if (likely[terms[i]!] === 0) seen.push(terms[i]!)
      likely[terms[i]!]! += share * frequencies[i]!
    }
  })
  const weights = new Float64Array(idf.length)
  for (const term of likeliest(seen, likely, options.terms)) weights[term] = likely[term]! * idf[term]!
  return Float64Array.from(vectors, ({ terms, frequencies }, c) => {
    const saturation = options.saturation[c]!
    let sum = 0
    for (let i = 0; i < terms.length; i++) {
      const weight = weights[terms[i]!]!
      if (weight > 0) sum += (weight * frequencies[i]!) / (frequencies[i]! + saturation)
    }
    return sum
  })
}

/** The most likely terms; of equally likely ones those with the lowest numbers. */
function likeliest(terms: readonly number[], likely: Float64Array, most: number): Int32Array {
  const best = new Int32Array(Math.min(most, terms.length))
  let found = 0
  for (const term of terms) {
    const goesBefore = (other: number): boolean =>
      likely[term]! > likely[other]! || (likely[term] === likely[other] && term < other)
    if (found === best.length && !goesBefore(best[found - 1]!)) continue
    let at = found < best.length ? found++ : found - 1
    for (; at > 0 && goesBefore(best[at - 1]!); at--) best[at] = best[at - 1]!
    best[at] = term
  }
  return best
}
