export { type Client, type ClientOptions, createClient, type RequestOptions } from './client.ts'
export { ClientError, type ClientErrorKind } from './client-error.ts'
export type {
  AdditionQuery,
  AdditionResponse,
  CallName,
  CallUsage,
  DeletionRequest,
  DeletionResponse,
  InputOf,
  Receipt,
  RelevanceRequest,
  RelevanceResponse,
  ResponseOf,
  WireRelevance,
} from './wire.ts'
