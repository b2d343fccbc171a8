// Only types are imported, so that the client does not load the schemas.
import type { Receipt } from '@asof/core'
import type { z } from 'zod'
import type { CallCharge } from '../../service/accounts/index.ts'
import type {
  AdditionResponse,
  additionQuery,
  DeletionResponse,
  deletionRequest,
  ErrorResponse,
  FeedbackResponse,
  FetchResponse,
  FieldsResponse,
  feedbackRequest,
  fetchRequest,
  fieldsRequest,
  HistoryResponse,
  historyRequest,
  RelevanceResponse,
  relevanceRequest,
  SearchResponse,
  searchRequest,
  VerifyResponse,
  verifyRequest,
  WireRelevance,
} from '../../service/index.ts'

export type {
  AdditionResponse,
  DeletionResponse,
  ErrorResponse,
  FeedbackResponse,
  FetchResponse,
  FieldsResponse,
  HistoryResponse,
  Receipt,
  RelevanceResponse,
  SearchResponse,
  VerifyResponse,
  WireRelevance,
}

/** The body of `POST /v1/verify`. */
export type VerifyRequest = z.input<typeof verifyRequest>

/** A search request as it is sent (spec 2.1). Fields with a default may be left out. */
export type SearchRequest = z.input<typeof searchRequest>

/** The parameters of a fetch. */
export type FetchRequest = z.input<typeof fetchRequest>

/** The parameters of `GET /v1/fields`. */
export type FieldsRequest = z.input<typeof fieldsRequest>

/** The parameters of `/v1/history`. */
export type HistoryRequest = z.input<typeof historyRequest>

/** How the records of an addition are read. */
export type AdditionQuery = z.input<typeof additionQuery>

/** Which pages to remove or purge: `urls`, or `site`, `prefix` and `filter`, of which a page must fulfill all that are given. */
export type DeletionRequest = z.input<typeof deletionRequest>

/** The parameters of `GET /admin/relevance`. */
export type RelevanceRequest = z.input<typeof relevanceRequest>

/** Feedback (spec 2.6): a score for each URL, from 1 (low relevance) to 5 (perfect), or 0 if the page did not load. */
export type FeedbackRequest = z.input<typeof feedbackRequest>

/** The charge of a call with a key (`X-Asof-Usage`). `paid` is true for purchased credits, false for the free allowance. */
export type CallUsage = CallCharge
