export type {
  AddReport,
  AddWarning,
  AnswerTimings,
  BackupOptions,
  BackupReport,
  EmbedOptions,
  EmbedReport,
  Engine,
  EngineStats,
  Explanation,
  HistoryPart,
  Ranking,
  Receipt,
  ScorePart,
  SearchAnswer,
  SearchMode,
  SearchOptions,
  SearchResult,
  SignalPart,
  Snippet,
  Suggestion,
  TermPart,
  VectorReceipt,
} from './engine.ts'
export { AsofError, type ErrorCode, errorCodes, isAsofError } from './errors.ts'
export type { Breadcrumb } from './extract/breadcrumbs.ts'
export { ExtractPool, extract } from './extract/extract-pool.ts'
export type { ExtractedPage, ExtractOptions } from './extract/extracted-page.ts'
export type { RobotsDirectives } from './extract/page-declarations.ts'
export { firstResults } from './first-results.ts'
export type { OpenOptions } from './local-engine.ts'
export type { Embedder, ModelCall, Reranker, TextKind } from './meaning/embedder.ts'
export { open } from './open.ts'
export type {
  CaptureInput,
  DatePrecision,
  DateSource,
  Page,
  PageKind,
  PageLink,
  StructuredItem,
  TimeInput,
} from './page.ts'
export { type Examination, examine } from './repair/examine.ts'
export { type RepairReport, repair } from './repair/repair.ts'
export { type ParsedQuery, parseQuery } from './search/parse-query.ts'
export type { Phrase, QueryWord, ScoringTerm } from './search/scoring-terms.ts'
export { answerPassages } from './snippet/answer-passages.ts'
export type { MergePolicy } from './store/merge-policy.ts'
export { type QueryTerm, queryTerms } from './text/query-terms.ts'
export { parseInstant } from './time/instant.ts'
export { hostOf, normalizeUrl, parseSite } from './url.ts'
