import type { UnitVector } from './unit-vectors.ts'

/**
 * Scores each page by its most similar neighbors (cluster hypothesis; Diaz, CIKM 2005): the sum of its cosines with the
 * nearest other pages, each times the trust in that page. This raises pages that are similar to good ones although they
 * contain few words of the query.
 *
 * @param terms - number of distinct terms of all vectors.
 * @param trust - for each page, how likely it is good.
 * @param nearest - number of neighbors that count, at least 1; of equally similar ones those that come first.
 */
export function neighborEvidence(
  vectors: readonly UnitVector[],
  terms: number,
  trust: readonly number[],
  nearest: number,
): Float64Array {
  const count = vectors.length
  const likeness = cosines(vectors, terms)
  const best = new Int32Array(nearest)
  return Float64Array.from(vectors, (_, one) => {
    const row = likeness.subarray(one * count, (one + 1) * count)
    let found = 0
    for (let other = 0; other < count; other++) {
      if (other === one || (found === nearest && row[other]! <= row[best[found - 1]!]!)) continue
      let at = found < nearest ? found++ : found - 1
      for (; at > 0 && row[best[at - 1]!]! < row[other]!; at--) best[at] = best[at - 1]!
      best[at] = other
    }
    let sum = 0
    for (let i = 0; i < found; i++) sum += row[best[i]!]! * trust[best[i]!]!
    return sum
  })
}

/** The matrix of the cosines of all pairs of vectors. Computed term by term, because most terms occur in few vectors. */
function cosines(vectors: readonly UnitVector[], terms: number): Float64Array {
  const count = vectors.length
  const ends = new Uint32Array(terms + 1)
  for (const vector of vectors) for (let i = 0; i < vector.terms.length; i++) ends[vector.terms[i]! + 1]!++
  for (let term = 0; term < terms; term++) ends[term + 1]! += ends[term]!
  const holders = new Uint16Array(ends[terms]!)
  const weights = new Float64Array(ends[terms]!)
  const next = ends.slice()
  vectors.forEach((vector, one) => {
    for (let i = 0; i < vector.terms.length; i++) {
      const at = next[vector.terms[i]!]!++
      holders[at] = one
      weights[at] = vector.weights[i]!
    }
  })
  const likeness = new Float64Array(count * count)
  for (let term = 0; term < terms; term++) {
    const start = ends[term]!
    const end = ends[term + 1]!
    for (let i = start + 1; i < end; i++) {
      const row = holders[i]! * count
      const weight = weights[i]!
      for (let j = start; j < i; j++) likeness[row + holders[j]!]! += weight * weights[j]!
    }
  }
  for (let one = 0; one < count; one++)
    for (let other = one + 1; other < count; other++) likeness[one * count + other] = likeness[other * count + one]!
  return likeness
}
