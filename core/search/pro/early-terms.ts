import { type TermVector, termHash } from '../../store/term-vector.ts'

/**
 * How early a page says the words of a query: the sum of their weights, each times e^(−place / decay), the place being
 * the number of other terms that come before the word for the first time.
 */
export class EarlyTerms {
  /** By hash. */
  readonly #weights = new Map<number, number>()
  readonly #decay: number

  constructor(terms: readonly string[], weights: readonly number[], decay: number) {
    this.#decay = decay
    terms.forEach((term, t) => {
      const bytes = Buffer.from(term)
      const hash = termHash(bytes, 0, bytes.length)
      this.#weights.set(hash, (this.#weights.get(hash) ?? 0) + weights[t])
    })
  }

  evidence({ hashes }: TermVector): number {
    let sum = 0
    for (let place = 0; place < hashes.length; place++) {
      const weight = this.#weights.get(hashes[place])
      if (weight !== undefined) sum += weight * Math.exp(-place / this.#decay)
    }
    return sum
  }
}
