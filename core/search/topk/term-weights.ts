/**
 * Scores are sums of fixed-point integers, so that they do not depend on the order of addition: neither on how captures
 * fall into segments nor on what pruning skipped. The scale is a power of two chosen so that no sum leaves 30 bits.
 */
const SCORE_BITS = 30

/** Per term, what a saturated frequency of 1 adds to a score, in fixed-point units; `scale` units make 1. */
export interface TermWeights {
  weights: Float64Array
  scale: number
}

/** Inverse document frequency as in Lucene's BM25: ln(1 + (N − n + ½) / (n + ½)). */
export function inverseDocumentFrequency(captures: number, holding: number): number {
  return Math.log(1 + (captures - holding + 0.5) / (holding + 0.5))
}

/** @param counts - how often the query says each term. @param frequencies - captures holding each term. */
export function termWeights(counts: readonly number[], frequencies: readonly number[], captures: number): TermWeights {
  const plain = counts.map((count, i) => count * inverseDocumentFrequency(captures, frequencies[i]))
  const total = plain.reduce((sum, weight) => sum + weight, 0)
  const scale = total > 0 ? 2 ** Math.floor(Math.log2((2 ** SCORE_BITS - 4 * plain.length) / total)) : 1
  return { weights: Float64Array.from(plain, weight => weight * scale), scale }
}
