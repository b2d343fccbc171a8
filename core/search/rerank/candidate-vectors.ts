import { TERM_HASHES, type TermVector } from '../../segment/term-vector.ts'

/** The term vector of a candidate. Its terms are numbered among those of all candidates. */
export interface NumberedVector {
  terms: Int32Array
  frequencies: Uint8Array
}

/** By term hash: the number of the term plus 1, or 0 if no candidate contains it. All 0 between searches. */
const numbers = new Int32Array(TERM_HASHES)
/** The hash of each term, by its number. By it, the entries of `numbers` are cleared when all terms are numbered. */
const numbered = new Uint16Array(TERM_HASHES)

/**
 * The terms of some candidates, numbered in the order of their first appearance. So loops over these numbers run in an order
 * that depends only on the candidates, and floating-point sums are reproducible.
 */
export class CandidateVectors {
  readonly vectors: readonly NumberedVector[]
  /** Number of distinct terms. */
  readonly terms: number

  constructor(vectors: readonly TermVector[]) {
    let known = 0
    // One array for all candidates, because allocating many small ones takes longer than filling them.
    const buffer = new Int32Array(vectors.reduce((sum, { hashes }) => sum + hashes.length, 0))
    let taken = 0
    this.vectors = vectors.map(({ hashes, frequencies }) => {
      const terms = buffer.subarray(taken, taken + hashes.length)
      taken += hashes.length
      for (let i = 0; i < hashes.length; i++) {
        const hash = hashes[i]!
        if (numbers[hash] === 0) {
          numbers[hash] = ++known
          numbered[known - 1] = hash
        }
        terms[i] = numbers[hash]! - 1
      }
      return { terms, frequencies }
    })
    for (let i = 0; i < known; i++) numbers[numbered[i]!] = 0
    this.terms = known
  }
}
