/**
 * Scores are sums of fixed-point integers, so they do not depend on the order of addition: neither on how captures are
 * spread over segments nor on what pruning skipped. The scale is a power of two chosen so that no sum exceeds this number of
 * bits.
 */
const SCORE_BITS = 30

/**
 * For each term the upper bound of its contribution, in fixed-point units. A contribution approaches it as the frequency grows. `scale` units
 * are a score of 1.
 */
export interface TermWeights {
  weights: Float64Array
  scale: number
}

/** Inverse document frequency as in Lucene's BM25: ln(1 + (N − n + ½) / (n + ½)). */
export function inverseDocumentFrequency(captures: number, frequency: number): number {
  return Math.log(1 + (captures - frequency + 0.5) / (frequency + 0.5))
}

/**
 * @param counts - how often each term occurs in the query.
 * @param frequencies - for each term the number of captures that contain it.
 * @param headroom - a score may grow to this multiple of the sum of the weights.
 * @param inPhrases - how often each term occurs in the phrases that raise scores. Default: in none.
 */
export function termWeights(
  counts: readonly number[],
  frequencies: readonly number[],
  captures: number,
  headroom = 1,
  inPhrases: readonly number[] = [],
): TermWeights {
  const plain = counts.map((count, i) => count * inverseDocumentFrequency(captures, frequencies[i]!))
  const sum = plain.reduce((total, weight) => total + weight, 0)
  const ofPhrases = inPhrases.reduce(
    (total, count, i) => total + count * inverseDocumentFrequency(captures, frequencies[i]!),
    0,
  )
  // A phrase adds at most a third of its weight. Phrases that add up to two thirds of the sum of the weights need no smaller scale: scores have
  // 31 bits, and the sum takes only {@link SCORE_BITS}.
  const total = headroom * (sum + Math.max(0, (ofPhrases - 2 * sum) / 3))
  const scale = total > 0 ? 2 ** Math.floor(Math.log2((2 ** SCORE_BITS - 4 * plain.length) / total)) : 1
  return { weights: Float64Array.from(plain, weight => weight * scale), scale }
}
