import { type Said, saidIn } from '@asof/extract/errors'
import { isKnownError, type KnownError } from '../../crawler/errors.ts'
import type { ErrorResponse, FieldProblem } from './error-schema.ts'

/** Every error of the contract: its HTTP status, and its stable `error` string (spec part 7). */
export const wireErrors = {
  invalid_request: { status: 400, error: 'invalid_request' },
  missing_app_identifier: { status: 400, error: 'Missing app identifier' },
  address_refused: { status: 400, error: 'address_refused' },
  zdr_wizards_unsupported: { status: 400, error: 'zdr_wizards_unsupported' },
  zdr_prompt_unsupported: { status: 400, error: 'zdr_prompt_unsupported' },
  zdr_unsupported_profile: { status: 400, error: 'zdr_unsupported_profile' },
  unauthorized: { status: 401, error: 'unauthorized' },
  bearer_required: { status: 401, error: 'bearer_required' },
  insufficient_credits: { status: 402, error: 'insufficient_credits' },
  payment_required: { status: 402, error: 'Payment required' },
  payment_settlement_failed: { status: 402, error: 'Payment settlement failed' },
  forbidden: { status: 403, error: 'forbidden' },
  plan_required: { status: 403, error: 'plan_required' },
  not_found: { status: 404, error: 'not_found' },
  not_indexed: { status: 404, error: 'not_indexed' },
  target_not_found: { status: 404, error: 'target_not_found' },
  method_not_allowed: { status: 405, error: 'method_not_allowed' },
  request_timeout: { status: 408, error: 'request_timeout' },
  payload_too_large: { status: 413, error: 'payload_too_large' },
  unsupported_media_type: { status: 415, error: 'unsupported_media_type' },
  unprocessable: { status: 422, error: 'unprocessable' },
  robots_disallowed: { status: 422, error: 'robots_disallowed' },
  rate_limited: { status: 429, error: 'rate_limited' },
  target_rate_limited: { status: 429, error: 'target_rate_limited' },
  unavailable_region: { status: 451, error: 'unavailable_region' },
  internal_error: { status: 500, error: 'internal_error' },
  advisor_unavailable: { status: 503, error: 'advisor_unavailable' },
  card_not_configured: { status: 501, error: 'card_not_configured' },
  unsupported: { status: 501, error: 'unsupported' },
  target_unreachable: { status: 502, error: 'target_unreachable' },
  overloaded: { status: 503, error: 'overloaded' },
  // The storefront answers an overloaded search with status 529 instead of 503.
  storefront_unavailable: { status: 503, error: 'overloaded' },
  allowance_unconfirmed: { status: 503, error: 'allowance_unconfirmed' },
  payments_off: { status: 503, error: 'payments_off' },
  payments_unavailable: { status: 503, error: 'payments_unavailable' },
  target_timeout: { status: 504, error: 'target_timeout' },
  search_overloaded: { status: 529, error: 'search_overloaded' },
} as const satisfies Record<string, { status: number; error: string }>

/** The name of an error of the contract, see {@link wireErrors}. */
export type WireErrorName = keyof typeof wireErrors

/** The errors that a fetch by any caller can have: about its address, its page or the site of the page. */
export const fetchFailures: readonly WireErrorName[] = [
  'address_refused',
  'not_indexed',
  'target_not_found',
  'unprocessable',
  'robots_disallowed',
  'target_rate_limited',
  'target_unreachable',
  'target_timeout',
]

/** The wire error for each `statusCode` of an error of the engine or the crawler. */
const wireErrorOfStatus: Readonly<Record<number, WireErrorName>> = {
  400: 'invalid_request',
  403: 'forbidden',
  404: 'target_not_found',
  422: 'unprocessable',
  429: 'target_rate_limited',
  500: 'internal_error',
  501: 'unsupported',
  502: 'target_unreachable',
  503: 'overloaded',
  504: 'target_timeout',
}

/** The wire errors of codes for which the table by status does not apply. */
const wireErrorOfCode: Partial<Record<KnownError['code'], WireErrorName>> = {
  ASOF_ADDRESS_REFUSED: 'address_refused',
  ASOF_ROBOTS_DISALLOWED: 'robots_disallowed',
  // Requests contain no pages, so these errors are about the page of a live fetch, and not about the body of the request (413,
  // 415).
  ASOF_EXTRACT_TOO_LARGE: 'unprocessable',
  ASOF_UNSUPPORTED_TYPE: 'unprocessable',
}

/** Returns the wire error of an error of the engine or the crawler. */
function wireErrorOf({ code, statusCode }: KnownError): WireErrorName {
  return wireErrorOfCode[code] ?? wireErrorOfStatus[statusCode] ?? 'internal_error'
}

/** An error of the wire contract. Its `message` is written for the caller. */
export class ServiceError extends Error {
  /** The name of the error in {@link wireErrors}. */
  readonly kind: WireErrorName
  /** The HTTP status. Fastify and Express answer with this status if a route does not catch the error. */
  readonly statusCode: number
  /** The fields of the request that are invalid. Absent if the error is not about fields. */
  readonly details?: readonly FieldProblem[]
  /** What the site of a page said, if that made the call fail. In the body it is the `details`. */
  readonly said?: Said
  /** Whole seconds to wait before the same call may succeed; sent as the `Retry-After` header. */
  readonly retryAfterSeconds?: number
  /** Further fields of the error body, such as the plans that cover a refused call. */
  readonly facts?: Readonly<Record<string, unknown>>

  constructor(
    kind: WireErrorName,
    message: string,
    options: {
      cause?: unknown
      details?: readonly FieldProblem[]
      said?: Said | undefined
      retryAfterSeconds?: number
      facts?: Readonly<Record<string, unknown>>
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceError'
    this.kind = kind
    this.statusCode = wireErrors[kind].status
    if (options.details) this.details = options.details
    if (options.said) this.said = options.said
    if (options.facts) this.facts = options.facts
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds
  }

  /** Returns the body of the error response, spec 2.7. */
  toBody(): ErrorResponse {
    const { error } = wireErrors[this.kind]
    const details = this.details ?? (this.said && { said: this.said })
    return { error, message: this.message, details, ...this.facts }
  }
}

/** Seconds to wait if the site of a live fetch answers 429 without `Retry-After`. */
const DEFAULT_RETRY_SECONDS = 60

/** Returns the wire error for the HTTP status with which the site of a live fetch answered. */
function targetRefusal(failure: KnownError): ServiceError {
  const { status, retryAfterMs } = failure.details ?? {}
  const kind = wireErrorOf(failure)
  if (kind !== 'target_rate_limited')
    return new ServiceError(kind, `The target answered ${status}.`, { cause: failure, said: saidIn(failure) })
  const seconds = typeof retryAfterMs === 'number' ? Math.ceil(retryAfterMs / 1000) : DEFAULT_RETRY_SECONDS
  return new ServiceError(kind, 'The target throttled the fetch (429).', {
    cause: failure,
    retryAfterSeconds: Math.max(seconds, 1),
  })
}

/**
 * Returns the wire name of an option. In a path such as `filter.inStock`, only the first part is an option. The caller chose
 * the names after it.
 */
function wireName(field: string): string {
  const [option = ''] = field.split('.', 1)
  return option.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`) + field.slice(option.length)
}

/** The engine's options that appear in its error messages. */
const optionNames =
  /\b(?:(?:acquired|published)(?:After|Before|At)|queryTime|maxResults|maxFacetValues|excludeSites|snippetMaxLength)\b/g

/**
 * Replaces option names in a message of the engine by wire names. Does not change text that the message quotes from the caller.
 */
function inWireNames(message: string): string {
  const parts = message.split(/("[^"]*")/)
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(optionNames, wireName))).join('')
}

/** Removes the field name from the beginning of a message about that field. */
function reasonIn(message: string, field: string): string {
  if (!message.startsWith(field)) return message
  return message.slice(field.length).replace(/^:?\s+/, '') || message
}

/** Returns an error about fields. Its message and its `details` name each field with the reason. */
export function refusedFields(
  kind: WireErrorName,
  problems: readonly FieldProblem[],
  options: { cause?: unknown; said?: Said | undefined; retryAfterSeconds?: number } = {},
): ServiceError {
  const message = problems.map(({ path, reason }) => (path === '' ? reason : `${path}: ${reason}`)).join('; ')
  return new ServiceError(kind, message, { ...options, details: problems })
}

/**
 * Returns a copy of an error about fields with other names of the fields. Returns any other failure unchanged.
 *
 * @param rename - returns the new name of a field.
 */
export function renamingFields(failure: unknown, rename: (path: string) => string): unknown {
  if (!(failure instanceof ServiceError) || !failure.details) return failure
  const problems = failure.details.map(problem => ({ ...problem, path: rename(problem.path) }))
  return refusedFields(failure.kind, problems, { cause: failure })
}

/** The request field for codes of errors that do not name a field. */
const fieldOf: Partial<Record<KnownError['code'], string>> = {
  ASOF_INVALID_URL: 'url',
  ASOF_ADDRESS_REFUSED: 'url',
  ASOF_INVALID_QUERY: 'query',
}

/**
 * Turns any failure into a {@link ServiceError}. The message of an internal error (500) is not passed on, because it may
 * contain paths or query text; it is in the `cause`, for the operator.
 */
export function toServiceError(failure: unknown): ServiceError {
  if (failure instanceof ServiceError) return failure
  if (!isKnownError(failure)) {
    return new ServiceError('internal_error', 'The server failed to answer; retrying later may help.', {
      cause: failure,
    })
  }
  if (failure.code === 'ASOF_FETCH_STATUS') return targetRefusal(failure)
  const kind = wireErrorOf(failure)
  if (kind === 'internal_error') {
    return new ServiceError(kind, 'The index failed to answer; retrying later may help.', { cause: failure })
  }
  const said = saidIn(failure)
  // A failure that a site caused is not about a field of the request.
  const field = failure.details?.field ?? (said ? undefined : fieldOf[failure.code])
  const options = { cause: failure, said, retryAfterSeconds: kind === 'overloaded' ? 1 : undefined }
  if (typeof field !== 'string') return new ServiceError(kind, inWireNames(failure.message), options)
  const reason = inWireNames(reasonIn(failure.message, field))
  const position = failure.details?.position
  const refused = { path: wireName(field), reason }
  return refusedFields(kind, [typeof position === 'number' ? { ...refused, position } : refused], options)
}
