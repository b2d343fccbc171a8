/** The requests and responses of the HTTP API. Only types: the console loads no schema. */
import type { VerifyResponse } from '../../service/contract/quote-schemas.ts'

export type { ErrorResponse, FieldProblem } from '../../service/contract/error-schema.ts'
export type { HistoryResponse, PageResponse } from '../../service/contract/page-schemas.ts'
export type { LongestQuote, VerifyResponse } from '../../service/contract/quote-schemas.ts'
export type {
  CapturesResponse,
  FieldsResponse,
  SearchResponse,
  SuggestResponse,
} from '../../service/contract/search-schemas.ts'

/** What the server says of one quote. */
export type Verdict = VerifyResponse['verdicts'][number]

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
  facets?: readonly string[] | undefined
  sort?: string | undefined
  offset?: number | undefined
  language?: string | undefined
  max_results?: number | undefined
}

/** What an answer was made from, as the header `X-Asof-Receipt` says. */
export type Receipt = Readonly<Record<string, unknown>> & { instant: number; captures: number }

/** The examination of the data folder. The figures and findings are those of the last one that did not fail. */
export interface DoctorState {
  running: boolean
  examined_at?: string
  captures?: number
  urls?: number
  segments?: number
  findings?: string[]
  failure?: string
}

export interface Session {
  signed_in: boolean
  expires_at: string | null
}

export interface Organization {
  id: string
  name: string
  zdr: boolean
  wizards: boolean
  rate_limit: number
  allowance: number
  created_at: string
}

export interface Workspace {
  id: string
  name: string
  org: string
  suspended: boolean
  created_at: string
}

export interface Key {
  id: string
  workspace: string
  label: string | null
  sealed_at: string | null
  disabled: boolean
  created_at: string
  rotated_at: string | null
  revoked_at: string | null
}

export type Calls = Record<'search.pro' | 'search.realtime' | 'fetch' | 'fetch.live', number>

export interface Usage {
  month: string
  calls: Calls
  credits_charged: number
  credits_paid: number
  allowance: number
  allowance_left: number
  balance: number
  days: { day: string; calls: Calls }[]
}

export interface AuditRecord {
  sequence: number
  at: string
  actor: string
  act: string
  target: string
  facts?: Readonly<Record<string, string | number | boolean>>
}

export interface Plan {
  id: string
  [field: string]: unknown
}

export interface Agent {
  id: string
  created_at: string
  expires_at: string
  revoked_at: string | null
}

/** A metric of the server, as `/metrics` has it. */
export interface Metric {
  name: string
  help: string
  values: { name: string; labels: Readonly<Record<string, string | number>>; value: number }[]
}

export interface CrawlFailure {
  url: string
  code: string
  message: string
  /** The page with the link. Null for a URL where the crawl starts. */
  found_on: string | null
}

export interface CrawlReport
  extends Record<
    | 'fetched'
    | 'stored'
    | 'unchanged'
    | 'revised'
    | 'duplicates'
    | 'removed'
    | 'noindex'
    | 'fresh'
    | 'skipped_by_robots'
    | 'without_text'
    | 'replaced_characters',
    number
  > {
  bytes: number
  pending: number
  duration_ms: number
  failed: Readonly<Record<string, number>>
  statuses: Readonly<Record<string, number>>
  failures: readonly CrawlFailure[]
  /** The first ten pages without text, and the first ten with characters that could not be decoded. */
  without_text_urls: readonly string[]
  replaced_urls: readonly string[]
}

export interface RunningCrawl {
  name: string
  state: 'running' | 'stopping'
  watch: boolean
  started_at: string
  hosts: { active: number; waiting: number; resting: number }
  queues: readonly { host: string; pending: number }[]
  report: CrawlReport | null
}

export interface KnownCrawl {
  name: string
  state: 'running' | 'stopping' | 'finished' | 'stopped' | 'interrupted' | 'failed'
  watch: boolean
  can_resume: boolean
  started_at: string
  ended_at: string | null
  failure: string | null
  report: CrawlReport | null
}

/** How many queued URLs are due when. */
export interface DueCounts {
  now: number
  hour: number
  day: number
  later: number
  complete: boolean
}

export interface CrawlPreview {
  pages: number
  duration_ms: number
  complete: boolean
  seeds: readonly {
    url: string
    verdict: 'fetched' | 'robots' | 'outside' | 'unread'
    error: string | null
    delay_ms: number
    links: number
    in_scope: number
    examples: readonly string[]
  }[]
  sitemaps: readonly {
    url: string
    pages: number
    in_scope: number
    examples: readonly string[]
    error: string | null
  }[]
}
