import { currentCapture } from '../history/current-capture.ts'
import { BlockBuffers } from '../postings/block-buffers.ts'
import { relevanceAt } from '../relevance/stored-relevance.ts'
import { answer } from '../search/answer.ts'
import type { ResolvedSearch } from '../search/resolve-search.ts'
import type { SearchAnswer } from '../search/search-answer.ts'
import { SegmentsCollection } from '../search/segments-collection.ts'
import type { PostingCache } from '../segment/posting-cache.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { VectorReader } from '../vectors/vector-reader.ts'
import type { VectorTable } from '../vectors/vector-table.ts'

/** Answers a checked search request from a snapshot. */
export interface Searcher {
  /**
   * Returns the answer to a search.
   *
   * @param mostMs - processor time of the thread, milliseconds, after which the search is abandoned. Default: no limit.
   * @throws SearchAbandoned - the search took more than `mostMs`.
   */
  answer(request: ResolvedSearch, snapshot: Snapshot, mostMs?: number): SearchAnswer
}

export interface SnapshotSearchOptions {
  postings?: PostingCache
  table?: VectorTable | undefined
  timeoutMs?: number | undefined
}

/**
 * Answers searches on the thread that calls it. The main thread and each search thread have an instance of their own.
 */
export class SnapshotSearch implements Searcher {
  readonly #table: VectorTable | undefined
  readonly #timeoutMs: number | undefined
  readonly #postings: PostingCache | undefined
  readonly #buffers = new BlockBuffers()

  /**
   * @param options.postings - the posting lists that this thread keeps open.
   * @param options.table - the vectors in memory. Undefined without an embeddings model.
   * @param options.timeoutMs - processor time that one search may take, milliseconds. Default: see `AnswerContext`.
   */
  constructor({ postings, table, timeoutMs }: SnapshotSearchOptions) {
    this.#postings = postings
    this.#table = table
    this.#timeoutMs = timeoutMs
  }

  /** @throws ASOF_SEARCH_TIMEOUT - the answer took more than the maximum processor time. */
  answer(request: ResolvedSearch, snapshot: Snapshot, mostMs?: number): SearchAnswer {
    const search = () => this.#answer(request, snapshot, mostMs)
    return this.#postings ? this.#postings.reading(search) : search()
  }

  #answer(request: ResolvedSearch, snapshot: Snapshot, mostMs?: number): SearchAnswer {
    const { store, catalog, instant } = snapshot
    const table = this.#table
    return answer(request, {
      ...snapshot,
      collection: new SegmentsCollection(catalog.segments, instant),
      relevance: relevanceAt(store, catalog.manifest, instant),
      similarityTo: meaning => table && new VectorReader(meaning, table, store),
      timeoutMs: this.#timeoutMs,
      mostMs,
      buffers: this.#buffers,
      currentOf: url => currentCapture(url, snapshot),
    })
  }
}
