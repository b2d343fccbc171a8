import { TERM_HASHES, type TermVector } from '../../store/records/term-vector.ts'

/** When two pages count as one. */
export interface Sameness {
  /** Terms that both must have at least: fewer are soon the same by chance. */
  terms: number
  /** Share of their words, and of their lengths, that they must have in common. */
  share: number
}

interface Kept {
  vector: TermVector
  length: number
  /** Sum of the frequencies. */
  total: number
}

/** By hash, how often the page in hand has the term; all 0 between pages. */
const frequencyOf = new Uint8Array(TERM_HASHES)

/**
 * Which pages say nearly what one before them says already: mirrors, copies with another frame. Told by the term vectors
 * that were stored when the pages were captured, which count the words of the whole page: pages that merely begin alike
 * have other frequencies, and pages of one form other lengths.
 */
export class NearDuplicates {
  readonly #sameness: Sameness
  readonly #kept: Kept[] = []

  constructor(sameness: Sameness) {
    this.#sameness = sameness
  }

  /**
   * Whether a page repeats one that was asked about before and did not itself repeat another.
   *
   * @param length - of the page, in terms.
   */
  isRepeated(vector: TermVector, length: number): boolean {
    const { hashes, frequencies } = vector
    if (hashes.length < this.#sameness.terms) return false
    const page = { vector, length, total: frequencies.reduce((sum, frequency) => sum + frequency, 0) }
    for (let i = 0; i < hashes.length; i++) frequencyOf[hashes[i]] = frequencies[i]
    const isRepeated = this.#kept.some(other => this.#isLike(page, other))
    for (let i = 0; i < hashes.length; i++) frequencyOf[hashes[i]] = 0
    if (!isRepeated) this.#kept.push(page)
    return isRepeated
  }

  /** Weighted Jaccard, of the page in hand and another. */
  #isLike(page: Kept, { vector, length, total }: Kept): boolean {
    const { share } = this.#sameness
    if (Math.min(page.length, length) < share * Math.max(page.length, length)) return false
    const { hashes, frequencies } = vector
    let common = 0
    for (let i = 0; i < hashes.length; i++) common += Math.min(frequencies[i], frequencyOf[hashes[i]])
    return common >= share * (page.total + total - common)
  }
}
