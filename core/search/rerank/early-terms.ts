import { type TermVector, termHash } from '../../segment/term-vector.ts'

const LOW_BITS = 1023

/**
 * Measures how early the words of a query occur in a page: the sum of their weights, each times e^(−rank / decay). The rank
 * of a word is the number of distinct terms whose first occurrence precedes that of the word.
 */
export class EarlyTerms {
  /** The weight of each term of the query, by the hash of the term. */
  readonly #weights = new Map<number, number>()
  /**
   * By the low bits of a hash: 1 if a term of the query may have this hash. Rules out nearly all terms of a page quickly.
   */
  readonly #mayBe = new Uint8Array(LOW_BITS + 1)
  readonly #decay: number

  constructor(terms: readonly string[], weights: readonly number[], decay: number) {
    this.#decay = decay
    terms.forEach((term, t) => {
      const bytes = Buffer.from(term)
      const hash = termHash(bytes, 0, bytes.length)
      this.#weights.set(hash, (this.#weights.get(hash) ?? 0) + weights[t]!)
      this.#mayBe[hash & LOW_BITS] = 1
    })
  }

  evidence({ hashes }: TermVector): number {
    const mayBe = this.#mayBe
    let sum = 0
    for (let rank = 0; rank < hashes.length; rank++) {
      if (mayBe[hashes[rank]! & LOW_BITS] === 0) continue
      const weight = this.#weights.get(hashes[rank]!)
      if (weight !== undefined) sum += weight * Math.exp(-rank / this.#decay)
    }
    return sum
  }
}
