import { TERM_HASHES, type TermVector } from '../../segment/term-vector.ts'

/** How similar two pages must be to count as near-duplicates. */
export interface SimilarityThreshold {
  /** Minimum number of terms of each page: pages with fewer terms are easily similar by chance. */
  terms: number
  /** Minimum weighted Jaccard similarity of their words, and minimum ratio of their lengths. */
  share: number
}

interface Kept {
  vector: TermVector
  length: number
  /** Sum of the frequencies in `vector`. */
  total: number
}

/**
 * Default number of distinct pages after which no page counts as a near-duplicate. Each page is compared with all distinct pages before it, so
 * later pages would take long. A search returns at most this many results.
 */
const MAX_DISTINCT = 1_000

/** By term hash: frequency of the term in the page that is being compared. All 0 between pages. */
const frequencyOf = new Uint8Array(TERM_HASHES)

/**
 * Detects pages that nearly repeat an earlier one, such as mirrors and copies with other boilerplate. It compares the term
 * vectors that were stored when the pages were captured, and the lengths. Term vectors count the words of the whole page, so
 * pages that merely begin alike differ in frequencies, and pages made from one template differ in length.
 */
export class NearDuplicates {
  readonly #threshold: SimilarityThreshold
  readonly #most: number
  readonly #kept: Kept[] = []
  #distinct = 0

  /** @param most - number of distinct pages after which no page counts as a near-duplicate. */
  constructor(threshold: SimilarityThreshold, most = MAX_DISTINCT) {
    this.#threshold = threshold
    this.#most = most
  }

  /** True if no further page counts as a near-duplicate. */
  get isFull(): boolean {
    return this.#distinct >= this.#most
  }

  /**
   * Returns true if the page is a near-duplicate of an earlier page that was not a duplicate itself; otherwise remembers it. This depends only
   * on the pages before, so the answers about the first pages are the same however many follow.
   *
   * @param length - the length of the page, in terms.
   */
  isDuplicate(vector: TermVector, length: number): boolean {
    if (this.isFull) return false
    const isDuplicate = this.#repeatsOne(vector, length)
    if (!isDuplicate) this.#distinct++
    return isDuplicate
  }

  #repeatsOne(vector: TermVector, length: number): boolean {
    const { hashes, frequencies } = vector
    if (hashes.length < this.#threshold.terms) return false
    const page = { vector, length, total: frequencies.reduce((sum, frequency) => sum + frequency, 0) }
    for (let i = 0; i < hashes.length; i++) frequencyOf[hashes[i]!] = frequencies[i]!
    const isDuplicate = this.#kept.some(other => this.#isSimilar(page, other))
    for (let i = 0; i < hashes.length; i++) frequencyOf[hashes[i]!] = 0
    if (!isDuplicate) this.#kept.push(page)
    return isDuplicate
  }

  /** Compares the weighted Jaccard similarity of the current page and another one with the threshold. */
  #isSimilar(page: Kept, { vector, length, total }: Kept): boolean {
    const { share } = this.#threshold
    if (Math.min(page.length, length) < share * Math.max(page.length, length)) return false
    const { hashes, frequencies } = vector
    let common = 0
    for (let i = 0; i < hashes.length; i++) common += Math.min(frequencies[i]!, frequencyOf[hashes[i]!]!)
    return common >= share * (page.total + total - common)
  }
}
