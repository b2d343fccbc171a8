import type { CallCharge } from '../../../../service/accounts/index.ts'
import type { CallerCrawls } from '../../../../service/crawl-jobs/index.ts'
import type {
  Answered,
  CallName,
  CrawlJobInput,
  CrawlJobResponse,
  InputOf,
  ResponseOf,
  ServiceError,
} from '../../../../service/index.ts'

/** Makes calls of asof for the caller of a request, by the way in of that caller. */
export interface Asking {
  /**
   * Makes a call, which is charged as on the native route. Each call counts as a request towards the rate limit.
   *
   * @throws ServiceError - the call is refused or fails. Nothing is charged for it then. The fields in its details have the vendor's names.
   */
  call<Name extends CallName>(name: Name, request: InputOf<Name>): Promise<Answered<ResponseOf<Name>>>
  /** True if the caller sees only the past: its key is sealed, or its key or the path names an instant. */
  readonly seesPast: boolean
  /** The charges of the calls so far. Empty for callers without a key. */
  readonly charges: readonly CallCharge[]
  /** Time since the request arrived, seconds. */
  seconds(): number
}

/** The crawls of a caller. The fields in the details of an error have the vendor's names. */
export interface DialectCrawls extends Omit<CallerCrawls, 'start'> {
  /** Starts a crawl, see {@link CallerCrawls}. */
  start(request: CrawlJobInput, note?: string): Promise<CrawlJobResponse>
}

/** Also makes and reads crawls for the caller. */
export interface AskingCrawls extends Asking {
  /**
   * Returns the crawls of the organization of the caller.
   *
   * @throws ServiceError unauthorized - the caller has no key.
   * @throws ServiceError unsupported - the server has no crawls for callers.
   */
  crawls(): DialectCrawls
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal
}

/** A request as it was sent. */
export interface SentRequest {
  id: string
  /** The body, or the query string of a request without a body. Not checked. Of a path that ends with a URL, the headers with that `url`. */
  fields: unknown
  /** The time of the request, from which relative instants count, epoch ms. */
  requestedAt: number
}

/** A request with the place where it was sent. */
export interface RoutedRequest extends SentRequest {
  /** The parts of the path that the route names, such as `id`. */
  params: Readonly<Record<string, string>>
  /** The address of the dialect, for links. */
  address: string
}

/** Makes the calls of a request that was read and checked, and returns the answer in the vendor's form: JSON or, as a string, plain text. */
export type AnswerRequest = (asking: AskingCrawls) => Promise<object | string>

/** A route of a dialect. */
export interface DialectRoute {
  methods: readonly ('GET' | 'POST' | 'DELETE')[]
  /** The path below the address of the dialect, such as `/search` or `/crawl/:id`. Empty for the address itself; `/*` for one that ends with a URL. */
  path: string
  /** The vendor's names of the fields of asof, for errors, such as `numResults` for `max_results`. */
  names: Readonly<Record<string, string>>
  /** @throws ServiceError invalid_request | unsupported - `details` has the vendor's names of fields. */
  read(sent: RoutedRequest): AnswerRequest
}

/** An error in a vendor's form. */
export interface WrittenError {
  status: number
  body: object
}

/** The HTTP interface of another search service, which its own clients speak. */
export interface Dialect {
  /** The name of the service. */
  vendor: string
  /** The packages of its clients, for documents. */
  clients: string
  routes: readonly DialectRoute[]
  /** True if bodies are forms, not JSON. Default false. */
  takesForms?: boolean
  /** A header in which its clients send the key, if they do not send it as asof reads it; in lower case. */
  keyHeader?: string
  /** What the dialect has and asof does not, by path, with the reason as the rest of a sentence: "it…". All other paths are unknown. */
  missing: Readonly<Record<string, string>>
  /** @param requestId - the `X-Request-Id` of the answer. */
  writeError(error: ServiceError, requestId: string): WrittenError
}
