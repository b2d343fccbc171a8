import { isError } from './thrown.ts'

/** Whose fault an error is, and whether the call may be repeated. */
export interface ErrorKind {
  /**
   * Whose fault it is, as a status of HTTP. 400 to 499: the call or the page is wrong. From 500 on: the engine, a server that it
   * needs, or a site from which something was fetched failed. Fastify and Express answer with this property.
   */
  readonly statusCode: number
  /** True if the same call may succeed later. */
  readonly retryable: boolean
}

/**
 * The error codes of the engine. The crawler has its own. Codes never change within a major version; messages may. A
 * wrong argument has a code too, so a plain `TypeError` is a bug of this package.
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
  ASOF_STORE_FORMAT: { statusCode: 500, retryable: false },
  ASOF_UPGRADE_UNFINISHED: { statusCode: 500, retryable: false },
  ASOF_STORE_CORRUPT: { statusCode: 500, retryable: false },
  ASOF_STORE_WRITE: { statusCode: 500, retryable: true },
  ASOF_STORE_READ: { statusCode: 500, retryable: true },
  ASOF_BACKUP_TARGET: { statusCode: 400, retryable: false },
  ASOF_SEARCH_FAILED: { statusCode: 500, retryable: true },
  ASOF_SEARCH_TIMEOUT: { statusCode: 503, retryable: true },
  ASOF_MODEL_FAILED: { statusCode: 500, retryable: true },
  ASOF_MODEL_INVALID: { statusCode: 500, retryable: false },
  ASOF_WORKER_FAILED: { statusCode: 500, retryable: false },
  ASOF_UNCERTAIN: { statusCode: 503, retryable: true },
  ASOF_UNSUPPORTED: { statusCode: 501, retryable: false },
  ASOF_SEALED: { statusCode: 403, retryable: false },
  ASOF_CLOSED: { statusCode: 503, retryable: false },
  ASOF_PACKAGE_MISSING: { statusCode: 500, retryable: false },
} as const satisfies Record<string, ErrorKind>

/** The code of an {@link AsofError} of the engine or the extraction. {@link errorCodes} has the HTTP status of each. */
export type ErrorCode = keyof typeof errorCodes

/** The optional parts of an error. Default kind: that of its code. */
interface ErrorParts extends Partial<ErrorKind> {
  cause?: unknown
  details?: Readonly<Record<string, unknown>>
}

/**
 * A failure with a stable code. Callers should compare the `code` instead of using `instanceof`, because two installed
 * copies of the package have two classes.
 *
 * @typeParam Code - the codes of the engine, or those of a package with its own table.
 */
export class AsofError<Code extends string = ErrorCode> extends Error implements ErrorKind {
  /** The stable code, such as `ASOF_INVALID_URL`. Programs compare it. */
  readonly code: Code
  /** See {@link ErrorKind.statusCode}. */
  readonly statusCode: number
  /** True if the same call may succeed later. */
  readonly retryable: boolean
  /** Facts about the failure, such as the wrong field or the HTTP status of the fetched site. */
  readonly details?: Readonly<Record<string, unknown>>

  constructor(code: NoInfer<Code>, message: string, { cause, details, ...kind }: ErrorParts = {}) {
    super(message, cause === undefined ? undefined : { cause })
    const { statusCode, retryable }: ErrorKind = { ...errorCodes[code as ErrorCode], ...kind }
    this.name = 'AsofError'
    this.code = code
    this.statusCode = statusCode
    this.retryable = retryable
    if (details) this.details = details
  }
}

/** An item that failed in a call for many items, as the report of the call lists it. */
export interface Failure {
  /** The URL as the caller gave it. */
  url: string
  message: string
  /** The code of the error, such as ASOF_INVALID_CAPTURE. */
  code: string
  /** What the error says to a program, such as `field`. Undefined if it says nothing more than its code. */
  details?: Readonly<Record<string, unknown>>
}

/** Returns what a report says about an error. */
export function failureOf(url: string, { message, code, details }: AsofError<string>): Failure {
  return details ? { url, message, code, details } : { url, message, code }
}

/** True for an {@link AsofError} of any installed copy. With `code`, true only for that code. */
export function isAsofError<Code extends string = ErrorCode>(
  error: unknown,
  code?: NoInfer<Code>,
): error is AsofError<Code> {
  return isError(error) && error.name === 'AsofError' && 'code' in error && (code === undefined || error.code === code)
}
