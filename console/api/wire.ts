/** The requests and responses of the HTTP API. Only types: the console loads no schema. */
import type { AdminActName, AdminAnswer } from '../../service/accounts/admin-schemas.ts'
import type { VerifyResponse } from '../../service/contract/quote-schemas.ts'
import type { CrawlActAnswer, CrawlActName } from '../../service/crawls/crawl-schemas.ts'

export type {
  CallsAnswer as Calls,
  KeyAnswer as Key,
  OrganizationAnswer as Organization,
  UsageAnswer as Usage,
  WorkspaceAnswer as Workspace,
} from '../../service/accounts/admin-schemas.ts'
export type { ErrorResponse, FieldProblem } from '../../service/contract/error-schema.ts'
export type { HistoryResponse, PageResponse } from '../../service/contract/page-schemas.ts'
export type { LongestQuote, VerifyResponse } from '../../service/contract/quote-schemas.ts'
export type {
  CapturesResponse,
  FieldsResponse,
  SearchResponse,
  SuggestResponse,
} from '../../service/contract/search-schemas.ts'
export type {
  CrawlAnswer as KnownCrawl,
  FailureAnswer as CrawlFailure,
  PreviewAnswer as CrawlPreview,
  ProgressAnswer as RunningCrawl,
  ReportAnswer as CrawlReport,
} from '../../service/crawls/crawl-schemas.ts'

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

/** A metric of the server, as `/metrics` has it. */
export interface Metric {
  name: string
  help: string
  values: { name: string; labels: Readonly<Record<string, string | number>>; value: number }[]
}

/** The path of an act under `/admin`: the act `org.list` is at `org/list`. */
type PathOf<Act extends string> = Act extends `${infer Subject}.${infer Verb}` ? `${Subject}/${Verb}` : never

/** The answers of administration, by path under `/admin`. */
export type AdminAnswers = { [Act in AdminActName as PathOf<Act>]: AdminAnswer<Act> } & {
  [Act in CrawlActName as `crawls/${Act}`]: CrawlActAnswer<Act>
} & { doctor: DoctorState }
