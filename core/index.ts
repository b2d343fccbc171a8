import '@asof/extract/expect-node'

export type {
  Breadcrumb,
  ContentExplanation,
  DroppedText,
  DroppingRule,
  ExtractedPage,
  ExtractOptions,
  ExtractWarning,
  FieldRule,
  FieldRules,
  FieldSource,
  PageDates,
  Refresh,
  RobotsDirectives,
} from '@asof/extract'
export { AsofError, type ErrorCode, type ErrorKind, errorCodes, type Failure, isAsofError } from '@asof/extract/errors'
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
} from '@asof/extract/page'
export { ExtractPool, extract } from '@asof/extract/pool'
export type { BulkOptions, BulkReport } from './bulk/bulk-report.ts'
export type { PageSelection } from './bulk/page-selection.ts'
export { documentUrl } from './document-url.ts'
export type { Engine, Reads, RemoveOptions } from './engine/engine.ts'
export { examine, repair, upgrade } from './engine/maintenance.ts'
export { open } from './engine/open.ts'
export type { OpenOptions } from './engine/open-options.ts'
export type { FieldCondition, FieldFilter, FieldRange, FilterBound, FilterValue } from './fields/field-filter.ts'
export { type DateInJson, fieldsInJson } from './fields/field-values.ts'
export type { ExportOptions, ExportSlice } from './history/history-export.ts'
export type {
  HistoryOptions,
  HistorySlice,
  PageOptions,
  PagePart,
  PageVersion,
  Timeline,
} from './history/page-version.ts'
export type { AddOptions } from './ingest/add-captures.ts'
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
export type { Passage, PassagesAnswer, PassagesOptions } from './passages/passages-answer.ts'
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
  ResultPassage,
  ResultPassagesOptions,
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
