import { Comparison, type QueryMeaning, type StoredModels, storedCosine, vectorKey } from '@asof/core/internal'
import type { StoredPages } from '../stored/stored-pages.ts'
import type { SearchedVectors } from './compared-vectors.ts'

/** The vectors of an index with more captures than a search compares: only the vectors of candidates are read. */
export class ReadVectors implements SearchedVectors {
  readonly capacity: number
  readonly isOvertaken = false
  readonly #meaning: QueryMeaning
  readonly #own: StoredModels['own']
  readonly #pages: Pick<StoredPages, 'getMany'>
  readonly #cosines = new Map<number, number | undefined>()
  readonly #wanted = new Set<number>()

  /** @param options.own - the model of the query; undefined if it computed no vectors. */
  constructor(
    meaning: QueryMeaning,
    { capacity, own, pages }: { capacity: number; own: StoredModels['own']; pages: Pick<StoredPages, 'getMany'> },
  ) {
    this.capacity = capacity
    this.#meaning = meaning
    this.#own = own
    this.#pages = pages
  }

  get isIncomplete(): boolean {
    return this.#wanted.size > 0
  }

  cosine(captureId: number): number | undefined {
    if (this.#own && !this.#cosines.has(captureId)) this.#wanted.add(captureId)
    return this.#cosines.get(captureId)
  }

  comparison(places: number): Comparison {
    // The minimum is not made of these captures but of those that `near` knows, so none need be left out of the sample.
    return new Comparison(places, captureId => {
      const cosine = this.cosine(captureId)
      return cosine === undefined ? undefined : { cosine, level: 0 }
    })
  }

  async readWanted(): Promise<void> {
    const ids = [...this.#wanted]
    const values = await this.#pages.getMany(ids.map(id => vectorKey(id, this.#own!.id)))
    for (const [i, id] of ids.entries()) this.#cosines.set(id, values[i] && storedCosine(this.#meaning, values[i]))
    this.#wanted.clear()
  }

  near(): ReturnType<SearchedVectors['near']> {
    return { least: Number.POSITIVE_INFINITY, compared: 0, captures: [] }
  }
}
