/**
 * `@asof/core/internal`: parts of the engine that the other layers of asof account copy, by purpose. Applications should not use them, because any
 * release may change them.
 */

// An engine over another index. `IndexEngine` checks the options of calls and asks a `WritableIndex`.

export type { BulkIndex } from './bulk/bulk-index.ts'
export { readRetention } from './dates/retention.ts'
export type { FieldTypesAsOf, InstantOf, ReadableIndex, WritableIndex } from './engine/engine-index.ts'
export { everyObservation, everyVersion } from './engine/every-slice.ts'
export { IndexEngine } from './engine/index-engine.ts'
export type { ExportRange } from './history/history-export.ts'
export { Retainer } from './history/retainer.ts'
export type { ExpiredCapture } from './history/retention.ts'
export type { Entry, Outcome } from './ingest/entry.ts'
export { Intake } from './ingest/intake.ts'
export { checkModels } from './models/model-options.ts'
export type { ReadableAnswer, SearchModels } from './models/model-search.ts'
export { Reranking } from './models/reranking.ts'
export type { PageReads, Snapshot } from './store/snapshots/snapshots.ts'
export { Suggester, type SuggestionSource } from './suggest/suggester.ts'

// An index whose values are in another store. `StoredIndex` brings the pages that a call is about into memory, reads or changes them
// there, and says what changes in the store.

export { indexStored } from './partial/index-stored.ts'
export type { PageStore } from './partial/load-pages.ts'
export type { ColumnValues, HeldFields, IndexCounters, IndexedCapture, PartChange } from './partial/partial-index.ts'
export { type EnteredChange, type EnterOptions, StoredIndex } from './partial/stored-index.ts'
export { MAX_VERSIONS, type RelevanceVersion } from './relevance/stored-relevance.ts'
export { newIdentity } from './store/identity.ts'
export { binsFor } from './store/snapshots/capture-histogram.ts'

// The layout of an index in a store: the keys and encodings of an index on disk.

export { checksummed, valueIfIntact } from './store/integrity/checksum.ts'
export {
  allVectors,
  bodyKey,
  describeKey,
  documentKey,
  firstNumberOfKey,
  type KeyRange,
  revisionRowsKey,
  urlKey,
  vectorKey,
} from './store/keys.ts'
export { decodeVector } from './store/records/vector-records.ts'
export type { Operation } from './store/store.ts'

// Copies of an index between folders and other stores.

export { intoNewFolder } from './folders/new-folder.ts'
export { IndexSource } from './transfer/index-source.ts'
export { NewIndex } from './transfer/new-index.ts'
export type { RecordedPages } from './transfer/recorded-pages.ts'

// A search that has only some pages of an index in memory, and gives the answer of the whole index. `PartialIndex` answers it, and asks a
// `CollectionSource` about the pages that are not in memory.

export { contribution } from './kernels/contribution.ts'
export type { KnownUntil, StoredCapture } from './partial/kept-capture.ts'
export { type CaptureSource, KeptCaptures } from './partial/kept-captures.ts'
export { loadPages } from './partial/load-pages.ts'
export { PartialIndex } from './partial/partial-index.ts'
export { MAX_EXPANSIONS } from './search/clauses/pattern-expansion.ts'
export type { LastHit, MatchesElsewhere, NearestMinimum, NearestQuery } from './search/collection/collection.ts'
export type { CollectionSource, ContenderQuery, ExpandedPattern } from './search/collection/collection-source.ts'
export type { ResolvedSearch } from './search/resolve-search.ts'
export { homeUrls } from './search/site-pages.ts'
export { mostShare } from './search/topk/title-weight.ts'
export type { UntimedSearch } from './search/untimed-search.ts'

// The conditions, values and orders of a search, as terms of the index.

export type { CalendarUnit } from './dates/calendar-units.ts'
export { fieldOfTerm, numberOfSortable, sortableNumber, typedPrefix } from './fields/field-terms.ts'
export type { FilterNode, TermRange } from './fields/typed-filter.ts'
export { isRevisable } from './search/clauses/revised-terms.ts'
export { type Facet, type FacetCount, highestSums } from './search/collection/facet.ts'
export { fieldKindOf, type OrderKey, type ValueName, type ValueOrder } from './search/collection/value-order.ts'
export type { Condition } from './search/conditions/condition.ts'
export { predicateOf, type TermPattern } from './search/conditions/term-pattern.ts'
export { bucketsOf, startOfUnit } from './search/listing/histogram.ts'

// The vectors of an index, and the model that computes them.

export { EmbeddingModel } from './ingest/embedding-model.ts'
export { Comparison } from './vectors/comparison.ts'
export type { Similarities } from './vectors/similarities.ts'
export { StoredModels } from './vectors/stored-models.ts'
export type { CaptureVector } from './vectors/stored-vectors.ts'
export { type QueryMeaning, type SimilarityReader, storedCosine } from './vectors/vector-reader.ts'
export { tableMemory, VectorTable } from './vectors/vector-table.ts'

// Times, URLs and exact numbers, as every layer reads them.

export { parseInstant } from './dates/instant.ts'

export { queryInstant, type TimeWindow } from './dates/resolve-times.ts'

export { normalizeUrl } from './url.ts'

// The text of strangers in errors, terminals and logs.

// Folders, files and optional packages.

export { expectPlain, readPlainFile } from './folders/plain-entries.ts'
export { closeTree } from './folders/private-folder.ts'
export { expectIndex } from './repair/index-folder.ts'

export { lockedError } from './store/folder-lock.ts'
export { FolderView } from './store/integrity/folder-view.ts'

// The text of a fetched or imported body.

export { plainText } from './text/markdown/plain-text.ts'

// Quotes of a page, as `verify` judges them.

export { type PlacedQuote, QuotableText } from './quotes/quotable-text.ts'
export { foldWord } from './text/characters/fold.ts'

// Queries and answers, as the service reads them.

export { checkSearch } from './engine/check-search.ts'

export { analyzeQuery } from './search/analysis/analyze-query.ts'
export { firstResults } from './search/first-results.ts'
export { queryTerms } from './text/terms/query-terms.ts'
