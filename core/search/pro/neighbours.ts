import { cosine, type UnitVector } from './unit-vectors.ts'

/**
 * How good the pages are that each one is most like (after the cluster hypothesis; Diaz, CIKM 2005): the sum of its
 * cosines with the nearest of the others, each times the trust in that one. It lifts what the query's own words reach
 * badly, by the company it keeps.
 *
 * @param terms - distinct terms of all vectors.
 * @param trust - per page.
 * @param nearest - how many others count, at least 1; of equally near ones those that come first.
 */
export function neighbours(
  vectors: readonly UnitVector[],
  terms: number,
  trust: readonly number[],
  nearest: number,
): Float64Array {
  const count = vectors.length
  const likeness = new Float64Array(count * count)
  const byTerm = new Float64Array(terms)
  vectors.forEach((vector, one) => {
    for (let i = 0; i < vector.terms.length; i++) byTerm[vector.terms[i]] = vector.weights[i]
    for (let other = one + 1; other < count; other++) {
      const cos = cosine(vectors[other], byTerm)
      likeness[one * count + other] = cos
      likeness[other * count + one] = cos
    }
    for (let i = 0; i < vector.terms.length; i++) byTerm[vector.terms[i]] = 0
  })
  const best = new Int32Array(nearest)
  return Float64Array.from(vectors, (_, one) => {
    const row = likeness.subarray(one * count, (one + 1) * count)
    let found = 0
    for (let other = 0; other < count; other++) {
      if (other === one || (found === nearest && row[other] <= row[best[found - 1]])) continue
      let at = found < nearest ? found++ : found - 1
      for (; at > 0 && row[best[at - 1]] < row[other]; at--) best[at] = best[at - 1]
      best[at] = other
    }
    let sum = 0
    for (let i = 0; i < found; i++) sum += row[best[i]] * trust[best[i]]
    return sum
  })
}
