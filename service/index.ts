export { printable, printableJson, printableLine } from '@asof/extract/characters'
export { messageWithSaid, type Said, saidIn } from '@asof/extract/errors'
export { addPages } from './calls/addition.ts'
export { asOf, expectOneInstant, noPast } from './calls/as-of.ts'
export type { Answered, AnsweredHere, CallContext, CallDefinition, Charge, NamedTime } from './calls/call.ts'
export type { CallerPolicy } from './calls/caller-policy.ts'
export {
  type CallName,
  type CallService,
  type ChargedName,
  callNames,
  calls,
  chargedCalls,
  type InputOf,
  isCharged,
  type RequestOf,
  type ResponseOf,
} from './calls/calls.ts'
export { FIRST_MEMENTO_AT, mementoPath } from './calls/citation.ts'
export { deletePages } from './calls/deletion.ts'
export {
  type FeedbackJournal,
  type FeedbackSubmission,
  feedbackTopic,
  type Judgment,
  noJournal,
} from './calls/feedback-journal.ts'
export { inOrder } from './calls/in-order.ts'
export { LiveExtraction } from './calls/live-extraction.ts'
export {
  type ExtractLivePage,
  type FetchPage,
  type LiveCall,
  type LiveFetched,
  type LivePage,
  type LiveSource,
  type ReadLive,
  readLivePage,
} from './calls/live-page.ts'
export { extractiveReader, type ReadablePage, type Reader, type ReaderName, type Reading } from './calls/reader.ts'
export { requestReading } from './calls/request-reading.ts'
export {
  retrievalAnswer,
  retrievalInstant,
  retrievalRequest,
  retrievalResponse,
  retrievalSearches,
} from './calls/retrieval.ts'
export { createService, type Service, type ServiceParts } from './calls/service.ts'
export { limitCalls, limitWork } from './calls/work-limit.ts'
export {
  type AdditionResponse,
  additionQuery,
  additionResponse,
} from './contract/addition-schemas.ts'
export { firstCodePoints } from './contract/code-points.ts'
export {
  type CrawledPage,
  type CrawlJobErrorsResponse,
  type CrawlJobInput,
  type CrawlJobPagesResponse,
  type CrawlJobResponse,
  type CrawlJobsResponse,
  crawlJobErrorsResponse,
  crawlJobPagesResponse,
  crawlJobQuery,
  crawlJobRequest,
  crawlJobResponse,
  crawlJobsResponse,
} from './contract/crawl-job-schemas.ts'
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
  renamingFields,
  ServiceError,
  toServiceError,
  type WireErrorName,
  wireErrors,
} from './contract/errors.ts'
export {
  feedbackRequest,
  feedbackResponse,
} from './contract/feedback-schemas.ts'
export { faultText, jsonFault } from './contract/json-fault.ts'
export { mapResponse } from './contract/map-schemas.ts'
export { ceilDivide, cents, dollars, grouped, microDollars, TOKEN_DECIMALS, usd } from './contract/money.ts'
export {
  type FetchResponse,
  fetchRequest,
  fetchResponse,
  type HistoryResponse,
  historyRequest,
  historyResponse,
} from './contract/page-schemas.ts'
export {
  type PassagesResponse,
  passagesRequest,
  passagesResponse,
} from './contract/passages-schemas.ts'
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
export type { CheckLiveUrl } from './contract/request-check.ts'
export { parseForm, parseRequest, type RequestReading, readForm, readRequest } from './contract/request-fields.ts'
export { includeCitation, limits } from './contract/schema-parts.ts'
export {
  type FieldsResponse,
  fieldsRequest,
  type SearchResponse,
  type SuggestResponse,
  searchRequest,
  searchResponse,
} from './contract/search-schemas.ts'
export { engineOptions, engineQuery, plainSnippet, searchOf, timestamp } from './contract/wire-form.ts'
export { extractValues } from './extraction/extract-values.ts'
export { parseValueSchema } from './extraction/value-schema.ts'
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
export type { ModelEndpoint } from './models/model-endpoint.ts'
export { expectModelPackages } from './models/model-packages.ts'
export { RerankEndpoint, type RerankSettings } from './models/rerank-endpoint.ts'
export { builtInWizards, type OnWizardFailure } from './wizards/ask-wizards.ts'
export type { Wizard, WizardAnswer, WizardCapture, WizardQuestion } from './wizards/wizard.ts'
