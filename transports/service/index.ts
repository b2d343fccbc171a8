export { firstCodePoints } from './code-points.ts'
export { type CrawlFigures, CrawlTotals } from './crawl-totals.ts'
export { EmbeddingsEndpoint, type EmbeddingsSettings } from './embeddings-endpoint.ts'
export { engineOptions } from './engine-options.ts'
export { refusedFields, ServiceError, toServiceError, type WireErrorName, wireErrors } from './errors.ts'
export {
  type FeedbackCaller,
  type FeedbackJournal,
  type FeedbackSubmission,
  feedbackTopic,
  type Judgement,
  noJournal,
} from './feedback.ts'
export type { FetchOptions } from './fetch.ts'
export { LiveExtraction } from './live-extraction.ts'
export type { ReadLive } from './live-limit.ts'
export {
  type Extract,
  type FetchPage,
  type LiveCall,
  type LiveFetched,
  type LivePage,
  type LiveSource,
  readLivePage,
} from './live-page.ts'
export { LlmReader, type LlmSettings } from './llm-reader.ts'
export { printable } from './printable.ts'
export { extractiveReader, type ReadablePage, type Reader, type ReaderName, type Reading } from './reader.ts'
export type { CheckLiveUrl } from './request-check.ts'
export { parseForm, parseRequest, type RequestReading, readForm, readRequest } from './request-fields.ts'
export { fetchReading, historyReading, type RequestChecks, searchReading } from './request-reading.ts'
export { RerankEndpoint, type RerankSettings } from './rerank-endpoint.ts'
export {
  type ErrorResponse,
  errorResponse,
  type FeedbackRequest,
  type FeedbackResponse,
  type FetchRequest,
  type FetchResponse,
  type FieldProblem,
  feedbackRequest,
  feedbackResponse,
  fetchRequest,
  fetchResponse,
  type HistoryRequest,
  type HistoryResponse,
  historyRequest,
  historyResponse,
  limits,
  type SearchRequest,
  type SearchResponse,
  type SuggestRequest,
  type SuggestResponse,
  searchRequest,
  searchResponse,
  suggestRequest,
  suggestResponse,
} from './schemas.ts'
export { type AnsweredSearch, modeNeedsKey, type SearchCall } from './search.ts'
export { type ClientCall, createService, type Service, type ServiceParts } from './service.ts'
export { WindowCounts, type WindowSettings, type WindowStanding } from './window-counts.ts'
export type { OnWizardFailure } from './wizards/ask-wizards.ts'
export { builtInWizards } from './wizards/built-in.ts'
export type { Wizard, WizardAnswer, WizardCapture, WizardQuestion } from './wizards/wizard.ts'
export type { CallerPolicy } from './wizards/wizard-policy.ts'
export { type LimitedService, limitWork } from './work-limit.ts'
