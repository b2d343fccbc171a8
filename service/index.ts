export { printable, printableJson, printableLine } from '@asof/extract/characters'
export { messageWithSaid, type Said, saidIn } from '@asof/extract/errors'
export {
  type AdditionQuery,
  type AdditionResponse,
  additionQuery,
  additionResponse,
} from './contract/addition-schemas.ts'
export { firstCodePoints } from './contract/code-points.ts'
export {
  type DeletionRequest,
  type DeletionResponse,
  deletionRequest,
  deletionResponse,
} from './contract/deletion-schemas.ts'
export { type ErrorResponse, errorResponse, type FieldProblem } from './contract/error-schema.ts'
export {
  fetchFailures,
  refusedFields,
  ServiceError,
  toServiceError,
  type WireErrorName,
  wireErrors,
} from './contract/errors.ts'
export {
  type FeedbackRequest,
  type FeedbackResponse,
  feedbackRequest,
  feedbackResponse,
} from './contract/feedback-schemas.ts'
export { faultText, type JsonFault, jsonFault } from './contract/json-fault.ts'
export { cents, dollars, microDollars } from './contract/money.ts'
export {
  type FetchRequest,
  type FetchResponse,
  fetchRequest,
  fetchResponse,
  type HistoryRequest,
  type HistoryResponse,
  historyRequest,
  historyResponse,
  type PageRequest,
  type PageResponse,
  pageRequest,
  pageResponse,
} from './contract/page-schemas.ts'
export { qualityValues, weightOfType } from './contract/quality-values.ts'
export { type VerifyRequest, type VerifyResponse, verifyRequest, verifyResponse } from './contract/quote-schemas.ts'
export {
  answerRelevance,
  engineRelevance,
  type RelevanceResponse,
  relevanceRequest,
  relevanceResponse,
  type WireRelevance,
  wireRelevance,
} from './contract/relevance-form.ts'
export type { CheckLiveUrl, SearchRules } from './contract/request-check.ts'
export { parseForm, parseRequest, type RequestReading, readForm, readRequest } from './contract/request-fields.ts'
export { limits } from './contract/schema-parts.ts'
export {
  type CapturesRequest,
  type CapturesResponse,
  capturesRequest,
  capturesResponse,
  type FieldsRequest,
  type FieldsResponse,
  fieldsRequest,
  fieldsResponse,
  type SearchRequest,
  type SearchResponse,
  type SuggestRequest,
  type SuggestResponse,
  searchRequest,
  searchResponse,
  suggestRequest,
  suggestResponse,
} from './contract/search-schemas.ts'
export { engineOptions, engineQuery, timestamp } from './contract/wire-form.ts'
export type { ClientCall, LinkedCall } from './fair-shares/fair-queue.ts'
export {
  type CountWindow,
  type CreateWindow,
  WindowCounts,
  type WindowSettings,
  type WindowStanding,
} from './fair-shares/window-counts.ts'
export { EmbeddingsEndpoint, type EmbeddingsSettings } from './models/embeddings-endpoint.ts'
export { LlmReader, type LlmSettings } from './models/llm-reader.ts'
export { expectModelPackages } from './models/model-packages.ts'
export { RerankEndpoint, type RerankSettings } from './models/rerank-endpoint.ts'
export { addPages } from './use-cases/addition.ts'
export { FIRST_MEMENTO_AT, mementoPath } from './use-cases/citation.ts'
export { deletePages } from './use-cases/deletion.ts'
export {
  type FeedbackCaller,
  type FeedbackJournal,
  type FeedbackSubmission,
  feedbackTopic,
  type Judgment,
  noJournal,
} from './use-cases/feedback.ts'
export type { FetchOptions } from './use-cases/fetch.ts'
export { LiveExtraction } from './use-cases/live-extraction.ts'
export {
  type ExtractLivePage,
  type FetchPage,
  type LiveCall,
  type LiveFetched,
  type LivePage,
  type LiveSource,
  type ReadLive,
  readLivePage,
} from './use-cases/live-page.ts'
export { extractiveReader, type ReadablePage, type Reader, type ReaderName, type Reading } from './use-cases/reader.ts'
export { fetchReading, historyReading, type RequestChecks, searchReading } from './use-cases/request-reading.ts'
export { type AnsweredSearch, type CallerPolicy, modeNeedsKey, type SearchCall } from './use-cases/search.ts'
export { type ChargedService, createService, type Service, type ServiceParts } from './use-cases/service.ts'
export { type Limited, limitCharged, limitWork } from './use-cases/work-limit.ts'
export { builtInWizards, type OnWizardFailure } from './wizards/ask-wizards.ts'
export type { Wizard, WizardAnswer, WizardCapture, WizardQuestion } from './wizards/wizard.ts'
