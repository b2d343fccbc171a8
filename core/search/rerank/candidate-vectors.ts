import { TERM_HASHES, type TermVector } from '../../store/records/term-vector.ts'

/** The term vector of a candidate, its terms numbered among those of all candidates. */
export interface NumberedVector {
  terms: Int32Array
  frequencies: Uint8Array
}

/** By hash, the number of the term among those of the candidates plus 1. All 0 between searches. */
const numbers = new Int32Array(TERM_HASHES)
/** The hashes that have a number, in the order of these. */
const met = new Uint16Array(TERM_HASHES)

/**
 * The terms of some candidates, numbered as they come: so whatever goes through them by number goes in an order that the
 * candidates alone decide.
 */
export class CandidateVectors {
  readonly vectors: readonly NumberedVector[]
  /** Distinct terms. */
  readonly terms: number

  constructor(vectors: readonly TermVector[]) {
    let known = 0
    // One array for all: many small ones take longer to make than to fill.
    const room = new Int32Array(vectors.reduce((sum, { hashes }) => sum + hashes.length, 0))
    let taken = 0
    this.vectors = vectors.map(({ hashes, frequencies }) => {
      const terms = room.subarray(taken, taken + hashes.length)
      taken += hashes.length
      for (let i = 0; i < hashes.length; i++) {
        const hash = hashes[i]
        if (numbers[hash] === 0) {
          numbers[hash] = ++known
          met[known - 1] = hash
        }
        terms[i] = numbers[hash] - 1
      }
      return { terms, frequencies }
    })
    for (let i = 0; i < known; i++) numbers[met[i]] = 0
    this.terms = known
  }
}
