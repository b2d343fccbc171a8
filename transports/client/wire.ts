// Types alone: nothing of the schemas is loaded when the client runs.
import type { z } from 'zod'
import type { Draw } from '../service/accounts/index.ts'
import type {
  ErrorResponse,
  FeedbackResponse,
  FetchResponse,
  feedbackRequest,
  fetchRequest,
  HistoryResponse,
  historyRequest,
  SearchResponse,
  searchRequest,
} from '../service/index.ts'

export type { ErrorResponse, FeedbackResponse, FetchResponse, HistoryResponse, SearchResponse }

/** Spec 2.1, as it is sent: what has a default may be left out. */
export type SearchRequest = z.input<typeof searchRequest>

/** Parameters of spec E3. */
export type FetchRequest = z.input<typeof fetchRequest>

/** Parameters of `/v1/history`. */
export type HistoryRequest = z.input<typeof historyRequest>

/** Spec 2.6: for each URL a score, from 0 (not loaded) and 1 (low relevance) to 5 (perfect). */
export type FeedbackRequest = z.input<typeof feedbackRequest>

/** What a call with a key cost: `X-Asof-Usage`. `paid` is true when it came from purchased credits, false from the free allowance. */
export type CallUsage = Draw
