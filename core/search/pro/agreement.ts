import type { TermVector } from './candidate-texts.ts'

/** Candidates that are taken for good, by number, the best first, and how far each is trusted: the best 1. */
export interface GoodPages {
  pages: readonly number[]
  trust: readonly number[]
}

/** ln(1 + (n − df + ½) / (df + ½)) over the candidates: words that most of them have tell nothing apart. */
export function candidateIdf(vectors: readonly TermVector[], terms: number): Float64Array {
  const holding = new Float64Array(terms)
  for (const vector of vectors) for (const term of vector.terms) holding[term]++
  return holding.map(count => Math.log(1 + (vectors.length - count + 0.5) / (count + 0.5)))
}

/**
 * How like the good candidates each one is (score regularisation: Diaz, CIKM 2005): the sum of the cosines with them but
 * itself, each times its trust, over vectors of (1 + ln tf) · idf.
 */
export function consensus(
  vectors: readonly TermVector[],
  idf: Float64Array,
  { pages, trust }: GoodPages,
): Float64Array {
  const weights = vectors.map(({ terms, frequencies }) =>
    frequencies.map((frequency, i) => (1 + Math.log(frequency)) * idf[terms[i]]),
  )
  const norms = weights.map(values => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)))
  const evidence = new Float64Array(vectors.length)
  const dense = new Float64Array(idf.length)
  pages.forEach((page, p) => {
    if (norms[page] === 0) return
    vectors[page].terms.forEach((term, i) => {
      dense[term] = (weights[page][i] * trust[p]) / norms[page]
    })
    for (let c = 0; c < vectors.length; c++) {
      if (c === page || norms[c] === 0) continue
      const { terms } = vectors[c]
      const ofCandidate = weights[c]
      let product = 0
      for (let i = 0; i < terms.length; i++) product += ofCandidate[i] * dense[terms[i]]
      evidence[c] += product / norms[c]
    }
    for (const term of vectors[page].terms) dense[term] = 0
  })
  return evidence
}

/**
 * BM25 of each candidate for the words that the good ones use most (RM1: Lavrenko and Croft, SIGIR 2001).
 *
 * @param leave - terms that are not taken, such as function words.
 * @param saturation - per candidate, the frequency at which a term counts half.
 */
export function expansion(
  vectors: readonly TermVector[],
  idf: Float64Array,
  good: GoodPages,
  options: { terms: number; leave: (term: number) => boolean; saturation: readonly number[] },
): Float64Array {
  const likely = new Float64Array(idf.length)
  good.pages.forEach((page, p) => {
    const { terms, frequencies, length } = vectors[page]
    for (let i = 0; i < terms.length; i++) likely[terms[i]] += (good.trust[p] * frequencies[i]) / length
  })
  const best: number[] = []
  for (let term = 0; term < likely.length; term++) if (likely[term] > 0 && !options.leave(term)) best.push(term)
  best.sort((a, b) => likely[b] - likely[a] || a - b)
  const weights = new Float64Array(idf.length)
  for (const term of best.slice(0, options.terms)) weights[term] = likely[term] * idf[term]
  return Float64Array.from(vectors, ({ terms, frequencies }, c) => {
    let sum = 0
    for (let i = 0; i < terms.length; i++)
      sum += (weights[terms[i]] * frequencies[i]) / (frequencies[i] + options.saturation[c])
    return sum
  })
}
