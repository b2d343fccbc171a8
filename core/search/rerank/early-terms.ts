import { type TermVector, termHash } from '../../store/records/term-vector.ts'

const LOW_BITS = 1023

/**
 * How early a page says the words of a query: the sum of their weights, each times e^(−place / decay), the place being
 * the number of other terms that come before the word for the first time.
 */
export class EarlyTerms {
  /** By hash. */
  readonly #weights = new Map<number, number>()
  /** By the low bits of a hash, whether any of those may be it: nearly all terms of a page are none. */
  readonly #mayBe = new Uint8Array(LOW_BITS + 1)
  readonly #decay: number

  constructor(terms: readonly string[], weights: readonly number[], decay: number) {
    this.#decay = decay
    terms.forEach((term, t) => {
      const bytes = Buffer.from(term)
      const hash = termHash(bytes, 0, bytes.length)
      this.#weights.set(hash, (this.#weights.get(hash) ?? 0) + weights[t])
      this.#mayBe[hash & LOW_BITS] = 1
    })
  }

  evidence({ hashes }: TermVector): number {
    const mayBe = this.#mayBe
    let sum = 0
    for (let place = 0; place < hashes.length; place++) {
      if (mayBe[hashes[place] & LOW_BITS] === 0) continue
      const weight = this.#weights.get(hashes[place])
      if (weight !== undefined) sum += weight * Math.exp(-place / this.#decay)
    }
    return sum
  }
}
