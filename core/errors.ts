/**
 * All error codes. `statusCode` is the HTTP status of an answer that fails with the error. `retryable` is true if the same
 * call may succeed later without a change. Codes never change within a major version; messages may. Wrong arguments have a
 * code too: a plain `TypeError` is a bug of this package.
 */
export const errorCodes = {
  ASOF_INVALID_CAPTURE: { statusCode: 400, retryable: false },
  ASOF_INVALID_URL: { statusCode: 400, retryable: false },
  ASOF_INVALID_TIME: { statusCode: 400, retryable: false },
  ASOF_INVALID_QUERY: { statusCode: 400, retryable: false },
  ASOF_INVALID_OPTION: { statusCode: 400, retryable: false },
  ASOF_EXTRACT_FAILED: { statusCode: 422, retryable: false },
  ASOF_EXTRACT_LIBRARY_MISSING: { statusCode: 422, retryable: false },
  ASOF_EXTRACT_TIMEOUT: { statusCode: 422, retryable: false },
  ASOF_EXTRACT_TOO_LARGE: { statusCode: 413, retryable: false },
  ASOF_UNSUPPORTED_TYPE: { statusCode: 415, retryable: false },
  ASOF_STORE_MISSING: { statusCode: 500, retryable: false },
  ASOF_STORE_LOCKED: { statusCode: 500, retryable: true },
  ASOF_STORE_NEWER: { statusCode: 500, retryable: false },
  ASOF_STORE_OLDER: { statusCode: 500, retryable: false },
  ASOF_STORE_CORRUPT: { statusCode: 500, retryable: false },
  ASOF_STORE_WRITE: { statusCode: 500, retryable: true },
  ASOF_STORE_READ: { statusCode: 500, retryable: true },
  ASOF_BACKUP_TARGET: { statusCode: 400, retryable: false },
  ASOF_ANALYZER_CHANGED: { statusCode: 500, retryable: false },
  ASOF_SEARCH_FAILED: { statusCode: 500, retryable: true },
  ASOF_SEARCH_TIMEOUT: { statusCode: 503, retryable: true },
  ASOF_MODEL_FAILED: { statusCode: 500, retryable: true },
  ASOF_WORKER_FAILED: { statusCode: 500, retryable: false },
  ASOF_CLOSED: { statusCode: 503, retryable: false },
  ASOF_ADDRESS_REFUSED: { statusCode: 400, retryable: false },
  ASOF_FETCH_UNREACHABLE: { statusCode: 502, retryable: true },
  ASOF_FETCH_TIMEOUT: { statusCode: 504, retryable: true },
  ASOF_FETCH_STATUS: { statusCode: 422, retryable: false },
  ASOF_FETCH_REDIRECTS: { statusCode: 502, retryable: false },
  ASOF_FETCH_TOO_LARGE: { statusCode: 422, retryable: false },
  ASOF_ROBOTS_DISALLOWED: { statusCode: 422, retryable: false },
  ASOF_CORPUS_INVALID: { statusCode: 400, retryable: false },
  ASOF_RENDERER_MISSING: { statusCode: 400, retryable: false },
  ASOF_PACKAGE_MISSING: { statusCode: 500, retryable: false },
} as const satisfies Record<string, { statusCode: number; retryable: boolean }>

export type ErrorCode = keyof typeof errorCodes

/** The HTTP status of an error. That of ASOF_FETCH_STATUS depends on what the target of the fetch answered. */
function statusCodeOf(code: ErrorCode, details: Readonly<Record<string, unknown>> | undefined): number {
  const target = code === 'ASOF_FETCH_STATUS' ? details?.status : undefined
  if (typeof target === 'number') {
    if (target === 404 || target === 410) return 404
    if (target === 429) return 429
    if (target >= 500) return 502
  }
  return errorCodes[code].statusCode
}

/**
 * A failure with a stable {@link ErrorCode}. Match on `code`, not on `instanceof`: two installed copies of the
 * package have two classes.
 */
export class AsofError extends Error {
  readonly code: ErrorCode
  /**
   * The HTTP status of an answer that fails with this error: from 400 to 499 if the request or the page is at fault, from 500
   * if this server or a site that it fetched from is. Fastify and Express use it.
   */
  readonly statusCode: number
  /** True if the same call may succeed later without a change. */
  readonly retryable: boolean
  /** Structured facts for the caller, such as the offending field or the target's HTTP status. */
  readonly details?: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AsofError'
    this.code = code
    this.statusCode = statusCodeOf(code, options.details)
    this.retryable = errorCodes[code].retryable
    if (options.details) this.details = options.details
  }
}

/** True for an {@link AsofError} of any installed copy, optionally of one code. */
export function isAsofError(error: unknown, code?: ErrorCode): error is AsofError {
  return (
    error instanceof Error &&
    error.name === 'AsofError' &&
    'code' in error &&
    (code === undefined || error.code === code)
  )
}
