import './runtime/expect-node.ts'

export type { BulkOptions, BulkReport } from './bulk/bulk-report.ts'
export type { PageSelection } from './bulk/page-selection.ts'
export { documentUrl } from './document-url.ts'
export type { Engine, Reads, RemoveOptions } from './engine/engine.ts'
export { examine, repair, upgrade } from './engine/maintenance.ts'
export { open } from './engine/open.ts'
export type { OpenOptions } from './engine/open-options.ts'
export { AsofError, type ErrorCode, type ErrorKind, errorCodes, type Failure, isAsofError } from './errors.ts'
export type { ContentExplanation, DroppedText } from './extract/content/dropped-text.ts'
export type { DroppingRule } from './extract/content/dropping-rules.ts'
export { ExtractPool, extract } from './extract/extract-pool.ts'
export type { ExtractedPage, ExtractOptions, ExtractWarning } from './extract/extracted-page.ts'
export type { Breadcrumb } from './extract/facts/breadcrumbs.ts'
export type { RobotsDirectives } from './extract/facts/page-declarations.ts'
export type { Refresh } from './extract/facts/page-refresh.ts'
export type {
  DatePrecision,
  DateSource,
  FieldScalar,
  Fields,
  FieldText,
  FieldType,
  FieldValue,
  PageKind,
  PageLink,
  StructuredItem,
} from './extract/page.ts'
export type { FieldRule, FieldRules, FieldSource } from './extract/page-fields/field-rules.ts'
export type { FieldCondition, FieldFilter, FieldRange, FilterBound, FilterValue } from './fields/field-filter.ts'
export { type DateInJson, fieldsInJson } from './fields/field-values.ts'
export type { ExportOptions, ExportPart } from './history/history-export.ts'
export type {
  HistoryOptions,
  HistoryPart,
  PageOptions,
  PagePart,
  PageVersion,
  Timeline,
} from './history/page-version.ts'
export type { AddReport, AddWarning } from './ingest/add-report.ts'
export type { EmbedOptions, EmbedReport } from './ingest/missing-vectors.ts'
export type { MergePolicy } from './merge/merge-policy.ts'
export type { Embedder, ModelCall, Reranker, TextKind } from './models/embedder.ts'
export type { ModelOptions } from './models/model-options.ts'
export type {
  AliasInput,
  CaptureInput,
  DocumentInput,
  Observation,
  ObservationInput,
  Page,
  RemovalInput,
  SightingInput,
  TimeInput,
} from './page.ts'
export type {
  QuoteContradiction,
  QuoteDifference,
  QuotedPassage,
  QuoteInterval,
  QuoteToVerify,
  QuoteVerdict,
  QuoteVerdictName,
} from './quotes/quote-verdict.ts'
export type {
  FilterBoost,
  Pin,
  RankingRule,
  Relevance,
  RelevanceAsOf,
  RelevanceOptions,
  SearchWeights,
  Synonym,
} from './relevance/relevance.ts'
export type { Examination } from './repair/examine.ts'
export type { RepairReport } from './repair/repair.ts'
export type { FieldAsOf, FieldsOptions } from './search/fields/fields-as-of.ts'
export type {
  AnswerTimings,
  Explanation,
  FacetCounts,
  FacetValue,
  Receipt,
  ScorePart,
  SearchAnswer,
  SearchMode,
  SearchOptions,
  SearchResult,
  SearchWarning,
  SearchWarningCode,
  SignalPart,
  TermPart,
  Total,
  VectorReceipt,
} from './search/search-answer.ts'
export type {
  QueryFuzzy,
  QueryGroup,
  QueryNear,
  QueryPart,
  QueryPhrase,
  QueryPrefix,
  QueryTimes,
  QueryTree,
} from './search/webql/query-tree.ts'
export { answerPassages } from './snippet/answer-passages.ts'
export type { Snippet } from './snippet/snippet.ts'
export type { BackupOptions, BackupReport } from './store/backup/backup.ts'
export type { CaptureHistogram, HistogramInterval } from './store/snapshots/capture-histogram.ts'
export type { EngineStats } from './store/snapshots/index-stats.ts'
export type { Suggestion, SuggestOptions } from './suggest/suggestion.ts'
export type { UpgradeOptions, UpgradeReport } from './upgrade/upgrade.ts'
