import { Comparison, type NearestMinimum, type Similarities, type SimilarityReader } from '@asof/core/internal'

/** A capture whose vector was compared with that of a query. */
export interface NearCapture {
  id: number
  /** The similarity to the query, as `Similarities` gives it. */
  score: number
}

/** The vectors of a cluster for one search. */
export interface SearchedVectors extends SimilarityReader {
  /** True if vectors were added or deleted since the search began, so that it must begin again. */
  readonly isOvertaken: boolean
  /** True if the search asked for similarities that are not known yet. */
  readonly isIncomplete: boolean
  /** Reads the similarities that the search asked for. */
  readWanted(): Promise<void>
  /**
   * Returns the captures that are at least `minDeviations` standard deviations nearer than the mean, nearest first, and the score of that
   * distance.
   */
  near(minDeviations: number): NearestMinimum & { captures: readonly NearCapture[] }
}

interface Compared {
  capacity: number
  cosine: (captureId: number) => number | undefined
  /** The similarities of all captures as of the instant. */
  all: Similarities
  /** The captures that may be re-ranked for their vectors, in any order. */
  near: readonly NearCapture[]
  isOvertaken: () => boolean
}

/** The vectors of all captures as of an instant, compared with that of a query. */
export class ComparedVectors implements SearchedVectors {
  readonly capacity: number
  readonly isIncomplete = false
  readonly #compared: Compared
  readonly #near = new Map<number, ReturnType<SearchedVectors['near']>>()

  constructor(compared: Compared) {
    this.capacity = compared.capacity
    this.#compared = compared
  }

  get isOvertaken(): boolean {
    return this.#compared.isOvertaken()
  }

  cosine(captureId: number): number | undefined {
    return this.#compared.cosine(captureId)
  }

  comparison(places: number): Comparison {
    // The minimum is not made of these captures but of those that `near` knows, so none need be left out of the sample.
    return new Comparison(places, captureId => {
      const cosine = this.cosine(captureId)
      return cosine === undefined ? undefined : { cosine, level: 0 }
    })
  }

  async readWanted(): Promise<void> {}

  near(minDeviations: number): ReturnType<SearchedVectors['near']> {
    const known = this.#near.get(minDeviations)
    if (known) return known
    const { all, near } = this.#compared
    const least = all.least(minDeviations)
    const captures = near.filter(({ score }) => score >= least).sort((a, b) => b.score - a.score || a.id - b.id)
    const found = { least, compared: all.count, captures }
    this.#near.set(minDeviations, found)
    return found
  }
}
