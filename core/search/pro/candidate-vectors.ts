import { TERM_HASHES, type TermVector } from '../../store/term-vector.ts'

/** The term vector of a candidate, its terms numbered among those of all candidates. */
export interface NumberedVector {
  terms: Int32Array
  frequencies: Uint8Array
}

/** By hash, the number of the term among those of the candidates plus 1. All 0 between searches. */
const numbers = new Int32Array(TERM_HASHES)

/**
 * The terms of some candidates, numbered as they come: so whatever goes through them by number goes in an order that the
 * candidates alone decide.
 */
export class CandidateVectors {
  readonly vectors: readonly NumberedVector[]
  /** Distinct terms. */
  readonly terms: number

  constructor(vectors: readonly TermVector[]) {
    const hashes: number[] = []
    this.vectors = vectors.map(vector => {
      const terms = new Int32Array(vector.hashes.length)
      for (let i = 0; i < terms.length; i++) {
        const hash = vector.hashes[i]
        if (numbers[hash] === 0) numbers[hash] = hashes.push(hash)
        terms[i] = numbers[hash] - 1
      }
      return { terms, frequencies: vector.frequencies }
    })
    for (const hash of hashes) numbers[hash] = 0
    this.terms = hashes.length
  }
}
