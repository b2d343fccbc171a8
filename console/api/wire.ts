/** The requests and responses of the HTTP API. Only types: the console loads no schema. */
export type {
  CapturesResponse,
  ErrorResponse,
  FieldProblem,
  HistoryResponse,
  PageResponse,
  SearchResponse,
  SuggestResponse,
} from '../../service/contract/schemas.ts'

/** A search as the console sends it. Fields that are undefined are left out. */
export interface SearchRequest {
  query: string
  mode?: 'pro' | 'realtime' | undefined
  site?: string | undefined
  filter?: Record<string, unknown> | undefined
  acquired_after?: string | undefined
  acquired_before?: string | undefined
  published_after?: string | undefined
  published_before?: string | undefined
  query_time?: string | undefined
  language?: string | undefined
  max_results?: number | undefined
}

/** What an answer was made from, as the header `X-Asof-Receipt` says. */
export type Receipt = Readonly<Record<string, unknown>> & { instant: number; captures: number }
