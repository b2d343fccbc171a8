import type { CurrentCapture } from '../history/current-capture.ts'
import type { BlockBuffers } from '../postings/block-buffers.ts'
import type { RelevanceVersion } from '../relevance/stored-relevance.ts'
import type { Catalog } from '../store/snapshots/catalog.ts'
import type { StoredValues } from '../store/store-reader.ts'
import type { QueryMeaning, SimilarityReader } from '../vectors/vector-reader.ts'
import type { Collection } from './collection/collection.ts'

/** The state of the index that an answer is made from. */
export interface AnswerContext {
  store: StoredValues
  catalog: Catalog
  /** Epoch ms. */
  instant: number
  /** The index as a whole, as of the instant. */
  collection: Collection
  /** The relevance of the index as of the instant. Undefined if none was set by then. */
  relevance: RelevanceVersion | undefined
  /** Compares captures with the vector of a query. Undefined if no vectors are in use. */
  similarityTo: (meaning: QueryMeaning) => SimilarityReader | undefined
  /** Returns the capture that a URL, or an alias, had at the instant of the search. */
  currentOf: (url: string) => CurrentCapture | undefined
  buffers: BlockBuffers
  /** Processor time that the search may take, milliseconds. Default `DEFAULT_SEARCH_TIMEOUT_MS`. */
  timeoutMs?: number
  /** Processor time after which the search is abandoned, to be answered on another thread; milliseconds. Default: unlimited. */
  mostMs?: number
}
