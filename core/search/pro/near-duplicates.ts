import type { NumberedVector } from './candidate-vectors.ts'

/** When two pages count as one. */
export interface Sameness {
  /** Terms that both must have at least: fewer are soon the same by chance. */
  terms: number
  /** Share of their words, and of their lengths, that they must have in common. */
  share: number
}

/**
 * Which candidates say nearly what one before them says already: mirrors, copies with another frame. Told by the term
 * vectors that were stored when the pages were captured, which count the words of the whole page: pages that merely begin
 * alike have other frequencies, and pages of one form other lengths.
 */
export class NearDuplicates {
  readonly #vectors: readonly NumberedVector[]
  readonly #lengths: readonly number[]
  readonly #totals: readonly number[]
  readonly #sameness: Sameness
  readonly #kept: number[] = []
  /** By term, how often the candidate in hand has it; all 0 between candidates. */
  readonly #byTerm: Uint8Array

  /** @param terms - distinct terms of all vectors. @param lengths - of each page, in terms. */
  constructor(vectors: readonly NumberedVector[], terms: number, lengths: readonly number[], sameness: Sameness) {
    this.#vectors = vectors
    this.#lengths = lengths
    this.#totals = vectors.map(({ frequencies }) => frequencies.reduce((sum, frequency) => sum + frequency, 0))
    this.#sameness = sameness
    this.#byTerm = new Uint8Array(terms)
  }

  /** Whether a page repeats one that was asked about before and did not itself repeat another. */
  isRepeated(page: number): boolean {
    const { terms, frequencies } = this.#vectors[page]
    if (terms.length < this.#sameness.terms) return false
    for (let i = 0; i < terms.length; i++) this.#byTerm[terms[i]] = frequencies[i]
    const isRepeated = this.#kept.some(other => this.#isLike(page, other))
    for (let i = 0; i < terms.length; i++) this.#byTerm[terms[i]] = 0
    if (!isRepeated) this.#kept.push(page)
    return isRepeated
  }

  /** Weighted Jaccard, of the page in hand and another. */
  #isLike(page: number, other: number): boolean {
    const { share } = this.#sameness
    const [one, two] = [this.#lengths[page], this.#lengths[other]]
    if (Math.min(one, two) < share * Math.max(one, two)) return false
    const { terms, frequencies } = this.#vectors[other]
    let common = 0
    for (let i = 0; i < terms.length; i++) common += Math.min(frequencies[i], this.#byTerm[terms[i]])
    return common >= share * (this.#totals[page] + this.#totals[other] - common)
  }
}
