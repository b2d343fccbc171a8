export { type Client, type ClientOptions, createClient, type RequestOptions } from './client.ts'
export { ClientError, type ClientErrorKind } from './client-error.ts'
export type {
  AdditionQuery,
  AdditionResponse,
  CallName,
  CallUsage,
  CrawlAnswer,
  DeletionRequest,
  DeletionResponse,
  InputOf,
  Receipt,
  RelevanceRequest,
  RelevanceResponse,
  ResponseOf,
  StartCrawlRequest,
  WireRelevance,
} from './wire.ts'
