export type {
  AddReport,
  Engine,
  EngineStats,
  Receipt,
  SearchAnswer,
  SearchMode,
  SearchOptions,
  SearchResult,
  Snippet,
} from './engine.ts'
export { AsofError, type ErrorCode, errorCodes, isAsofError } from './errors.ts'
export { ExtractPool, extract } from './extract/extract-pool.ts'
export type { ExtractedPage, ExtractOptions } from './extract/extracted-page.ts'
export type { OpenOptions } from './local-engine.ts'
export { open } from './open.ts'
export type {
  CaptureInput,
  DatePrecision,
  DateSource,
  Page,
  PageLink,
  StructuredItem,
  TimeInput,
} from './page.ts'
export type { MergePolicy } from './store/merge-policy.ts'
export { parseInstant } from './time/instant.ts'
export { hostOf, normalizeUrl, parseSite } from './url.ts'
