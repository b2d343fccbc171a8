export { type Client, type ClientOptions, createClient, type RequestOptions } from './client.ts'
export { ClientError, type ClientErrorKind } from './client-error.ts'
export type {
  AdditionQuery,
  AdditionResponse,
  CallUsage,
  DeletionRequest,
  DeletionResponse,
  FeedbackRequest,
  FeedbackResponse,
  FetchRequest,
  FetchResponse,
  FieldsRequest,
  FieldsResponse,
  HistoryRequest,
  HistoryResponse,
  Receipt,
  RelevanceRequest,
  RelevanceResponse,
  SearchRequest,
  SearchResponse,
  WireRelevance,
} from './wire.ts'
