/**
 * `@asof/core/internal`: parts of the engine that crawler, service and transports share. Applications should not use
 * them, because any release may change them.
 */
export type { BulkIndex } from './bulk/bulk-index.ts'
export type { CalendarUnit } from './dates/calendar-units.ts'
export { EARLIEST_AT, LATEST_AT, parseInstant } from './dates/instant.ts'
export { readMailDate } from './dates/mail-date.ts'
export { queryInstant, resolveTimes, type TimeWindow } from './dates/resolve-times.ts'
export { readRetention } from './dates/retention.ts'
export { checkSearch } from './engine/check-search.ts'
export type { FieldTypesAsOf, ReadableIndex, WritableIndex } from './engine/engine-index.ts'
export { IndexEngine } from './engine/index-engine.ts'
export { detectEncoding } from './extract/encoding/charset-detection.ts'
export { isEncodingLabel } from './extract/encoding/charset-prescan.ts'
export { bodyKind, isSpecificType } from './extract/encoding/media-type.ts'
export { parseRefresh } from './extract/facts/page-refresh.ts'
export { parseFieldRules } from './extract/page-fields/field-rules.ts'
export { xmlDocumentKind } from './extract/xml-document.ts'
export { parseExactJson } from './fields/exact-json.ts'
export { fieldOfTerm, numberOfSortable, sortableNumber, typedPrefix } from './fields/field-terms.ts'
export { inexact, isInexactInteger } from './fields/field-values.ts'
export type { FilterNode, TermRange } from './fields/typed-filter.ts'
export { intoNewFolder } from './folders/new-folder.ts'
export { expectPlain, readPlainFile } from './folders/plain-entries.ts'
export { closeTree } from './folders/private-folder.ts'
export type { ExportRange } from './history/history-export.ts'
export { Retainer } from './history/retainer.ts'
export type { ExpiredCapture } from './history/retention.ts'
export type { VectorOf } from './ingest/commit.ts'
export type { Entry, Outcome } from './ingest/entry.ts'
export { Intake } from './ingest/intake.ts'
export { PassageVectors } from './ingest/passage-vectors.ts'
export { declaredInstant } from './ingest/prepared-capture.ts'
export { contribution } from './kernels/contribution.ts'
export { identityOf } from './models/model-languages.ts'
export { checkModels } from './models/model-options.ts'
export type { ReadableAnswer, SearchModels } from './models/model-search.ts'
export { QueryVectors } from './models/query-vectors.ts'
export { Reranking } from './models/reranking.ts'
export { datePrecisions, dateSources, pageKinds } from './page.ts'
export { indexStored } from './partial/index-stored.ts'
export type { KnownUntil, StoredCapture } from './partial/kept-capture.ts'
export { KeptCaptures, type WholeCaptures } from './partial/kept-captures.ts'
export { loadPages, type WholeStore } from './partial/load-pages.ts'
export {
  type IndexedCapture,
  type PartChange,
  PartialIndex,
  type WholeCounters,
  type WholeFields,
} from './partial/partial-index.ts'
export { type EnteredChange, type EnterOptions, StoredIndex } from './partial/stored-index.ts'
export { printable, printableJson, printableLine } from './printable.ts'
export { MAX_VERSIONS, type RelevanceVersion } from './relevance/stored-relevance.ts'
export { expectIndex } from './repair/index-folder.ts'
export { loadOptional, type OptionalPackages } from './runtime/optional-packages.ts'
export { messageWithSaid, type Said, said, saidIn } from './said.ts'
export { analyzeQuery } from './search/analysis/analyze-query.ts'
export { MAX_EXPANSIONS } from './search/clauses/pattern-expansion.ts'
export { isRevisable } from './search/clauses/revised-terms.ts'
export type { LastHit, MatchesElsewhere, NearestQuery } from './search/collection/collection.ts'
export { type Facet, type FacetCount, highestSums } from './search/collection/facet.ts'
export type { OrderKey, ValueName, ValueOrder } from './search/collection/value-order.ts'
export type { CandidateQuery, WholeExpansion, WholeIndex } from './search/collection/whole-index.ts'
export type { Condition } from './search/conditions/condition.ts'
export { predicateOf, type TermPattern } from './search/conditions/term-pattern.ts'
export { firstResults } from './search/first-results.ts'
export { bucketsOf, startOfUnit } from './search/listing/histogram.ts'
export type { ParsedSearch } from './search/parse-search.ts'
export { Similarities } from './search/rerank/nearest-vectors.ts'
export { type Completion, type ResolvedSearch, resolveSearch } from './search/resolve-search.ts'
export { homeUrls } from './search/site-pages.ts'
export { editsBetween } from './search/terms/near-terms.ts'
export { mostShare } from './search/topk/title-weight.ts'
export { lockedError } from './store/folder-lock.ts'
export { newIdentity } from './store/identity.ts'
export { checksummed, valueIfIntact } from './store/integrity/checksum.ts'
export { FolderView } from './store/integrity/folder-view.ts'
export {
  allVectors,
  bodyKey,
  describeKey,
  documentKey,
  firstNumberOfKey,
  type KeyRange,
  modelsKey,
  revisionRowsKey,
  urlKey,
  vectorKey,
} from './store/keys.ts'
export { MemoryStore } from './store/memory-store.ts'
export { decodeModels, decodeVector, type StoredModel } from './store/records/vector-records.ts'
export { binsFor } from './store/snapshots/capture-histogram.ts'
export type { PageReads, Snapshot } from './store/snapshots/snapshots.ts'
export type { Operation } from './store/store.ts'
export { Suggester, type SuggestionSource } from './suggest/suggester.ts'
export { plainText } from './text/markdown/plain-text.ts'
export { queryTerms } from './text/terms/query-terms.ts'
export { IndexSource } from './transfer/index-source.ts'
export { NewIndex } from './transfer/new-index.ts'
export type { RecordedPages } from './transfer/recorded-pages.ts'
export { normalizeUrl } from './url.ts'
export { inverseLength, product } from './vectors/quantized.ts'
export { StoredModels } from './vectors/stored-models.ts'
export { type CaptureVector, StoredVectors } from './vectors/stored-vectors.ts'
export type { QueryMeaning, SimilarityReader } from './vectors/vector-reader.ts'
export { VectorTable } from './vectors/vector-table.ts'
