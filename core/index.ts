import './expect-node.ts'

export type { AddReport, AddWarning } from './add-report.ts'
export { parseInstant } from './dates/instant.ts'
export { queryInstant } from './dates/resolve-times.ts'
export type {
  AnswerTimings,
  BackupOptions,
  BackupReport,
  EmbedOptions,
  EmbedReport,
  Engine,
  EngineStats,
  Explanation,
  ExportOptions,
  ExportPart,
  HistoryOptions,
  HistoryPart,
  PageOptions,
  PagePart,
  PageVersion,
  Ranking,
  Receipt,
  RemoveOptions,
  ScorePart,
  SearchAnswer,
  SearchMode,
  SearchOptions,
  SearchResult,
  SignalPart,
  Snippet,
  Suggestion,
  TermPart,
  Timeline,
  VectorReceipt,
} from './engine.ts'
export { AsofError, type ErrorCode, errorCodes, isAsofError } from './errors.ts'
export { ExtractPool, extract } from './extract/extract-pool.ts'
export type { ExtractedPage, ExtractOptions } from './extract/extracted-page.ts'
export type { Breadcrumb } from './extract/facts/breadcrumbs.ts'
export type { RobotsDirectives } from './extract/facts/page-declarations.ts'
export type { FieldCondition, FieldFilter, FieldRange, FilterBound, FilterValue } from './fields/field-filter.ts'
export { type DateInJson, type FieldType, fieldsInJson } from './fields/field-values.ts'
export type { MergePolicy } from './merge/merge-policy.ts'
export type { Embedder, ModelCall, Reranker, TextKind } from './models/embedder.ts'
export { open } from './open.ts'
export type { OpenOptions } from './open-options.ts'
export { loadOptional, type OptionalPackages } from './optional-packages.ts'
export {
  invalidOption,
  type OptionKind,
  type OptionKinds,
  optionsIn,
  optionsReader,
  type ReadOptions,
} from './options.ts'
export type {
  AliasInput,
  CaptureInput,
  DatePrecision,
  DateSource,
  FieldScalar,
  Fields,
  FieldValue,
  ObservationInput,
  Page,
  PageKind,
  PageLink,
  RemovalInput,
  SightingInput,
  StructuredItem,
  TimeInput,
} from './page.ts'
export { closeTree, stillOpen } from './private-folder.ts'
export { type Examination, examine } from './repair/examine.ts'
export { expectIndex } from './repair/index-folder.ts'
export { type RepairReport, repair } from './repair/repair.ts'
export { firstResults } from './search/first-results.ts'
export { type AnalyzedQuery, analyzeQuery } from './search/query/analyze-query.ts'
export type { QueryIdentifier } from './search/query/query-identifiers.ts'
export type { Phrase, QueryWord, ScoringTerm } from './search/query/scoring-terms.ts'
export { checkSearch } from './search/resolve-search.ts'
export { answerPassages } from './snippet/answer-passages.ts'
export { type QueryTerm, queryTerms } from './text/terms/query-terms.ts'
export { type UnknownName, unknownName } from './unknown-name.ts'
export { hostOf, normalizeUrl, parseSite } from './url.ts'
