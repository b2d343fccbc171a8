export { type Client, type ClientOptions, createClient, type RequestOptions } from './client.ts'
export { ClientError, type ClientErrorKind } from './client-error.ts'
export type { Wait } from './retry.ts'
export type {
  AdditionQuery,
  AdditionResponse,
  CallCharge,
  CallName,
  CallUsage,
  CrawlAnswer,
  CrawledPage,
  CrawlJobErrorsResponse,
  CrawlJobInput,
  CrawlJobPagesResponse,
  CrawlJobResponse,
  DeletionRequest,
  DeletionResponse,
  InputOf,
  Receipt,
  RelevanceRequest,
  RelevanceResponse,
  RequestOf,
  ResponseOf,
  Sku,
  StartCrawlRequest,
  VectorReceipt,
  WireRelevance,
} from './wire.ts'
