/**
 * All error codes. `retryable` is true if the same call may succeed later without a change. Codes never change within a
 * major version; messages may. Wrong arguments have a code too: a plain `TypeError` is a bug of this package.
 */
export const errorCodes = {
  ASOF_INVALID_CAPTURE: { retryable: false },
  ASOF_INVALID_URL: { retryable: false },
  ASOF_INVALID_TIME: { retryable: false },
  ASOF_INVALID_QUERY: { retryable: false },
  ASOF_INVALID_OPTION: { retryable: false },
  ASOF_EXTRACT_FAILED: { retryable: false },
  ASOF_EXTRACT_LIBRARY_MISSING: { retryable: false },
  ASOF_EXTRACT_TIMEOUT: { retryable: false },
  ASOF_EXTRACT_TOO_LARGE: { retryable: false },
  ASOF_UNSUPPORTED_TYPE: { retryable: false },
  ASOF_STORE_MISSING: { retryable: false },
  ASOF_STORE_LOCKED: { retryable: true },
  ASOF_STORE_NEWER: { retryable: false },
  ASOF_STORE_OLDER: { retryable: false },
  ASOF_STORE_CORRUPT: { retryable: false },
  ASOF_STORE_WRITE: { retryable: true },
  ASOF_STORE_READ: { retryable: true },
  ASOF_BACKUP_TARGET: { retryable: false },
  ASOF_ANALYZER_CHANGED: { retryable: false },
  ASOF_SEARCH_FAILED: { retryable: true },
  ASOF_SEARCH_TIMEOUT: { retryable: true },
  ASOF_MODEL_FAILED: { retryable: true },
  ASOF_WORKER_FAILED: { retryable: false },
  ASOF_CLOSED: { retryable: false },
  ASOF_ADDRESS_REFUSED: { retryable: false },
  ASOF_FETCH_UNREACHABLE: { retryable: true },
  ASOF_FETCH_TIMEOUT: { retryable: true },
  ASOF_FETCH_STATUS: { retryable: false },
  ASOF_FETCH_REDIRECTS: { retryable: false },
  ASOF_FETCH_TOO_LARGE: { retryable: false },
  ASOF_ROBOTS_DISALLOWED: { retryable: false },
  ASOF_CORPUS_INVALID: { retryable: false },
  ASOF_RENDERER_MISSING: { retryable: false },
  ASOF_PACKAGE_MISSING: { retryable: false },
} as const satisfies Record<string, { retryable: boolean }>

export type ErrorCode = keyof typeof errorCodes

/**
 * A failure with a stable {@link ErrorCode}. Match on `code`, not on `instanceof`: two installed copies of the
 * package have two classes.
 */
export class AsofError extends Error {
  readonly code: ErrorCode
  /** True if the same call may succeed later without a change. */
  readonly retryable: boolean
  /** Structured facts for the caller, such as the offending field or the target's HTTP status. */
  readonly details?: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AsofError'
    this.code = code
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
