import type { CurrentCapture } from '../history/current-capture.ts'
import type { BlockBuffers } from '../postings/block-buffers.ts'
import type { Catalog } from '../store/snapshots/catalog.ts'
import type { StoredValues } from '../store/store-reader.ts'
import type { VectorTable } from '../vectors/vector-table.ts'
import type { WholeIndex } from './collection/whole-index.ts'

/** The state of the index that an answer is made from. */
export interface AnswerContext {
  store: StoredValues
  catalog: Catalog
  /** Epoch ms. */
  instant: number
  /** The vectors in memory, if a model is in use. */
  table?: VectorTable | undefined
  /** Returns the capture that a URL, or an alias, had at the instant of the search. */
  currentOf: (url: string) => CurrentCapture | undefined
  /** Set if the catalog has only a part of an index. */
  whole?: WholeIndex | undefined
  buffers: BlockBuffers
  /** Processor time that the search may take, milliseconds. Default `DEFAULT_SEARCH_TIMEOUT_MS`. */
  timeoutMs?: number
  /** Processor time after which the search is abandoned, to be answered on another thread; milliseconds. Default: unlimited. */
  mostMs?: number
}
