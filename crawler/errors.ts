import { AsofError, type ErrorKind, isAsofError } from '@asof/core'
import { isError, messageWithSaid } from '@asof/extract/errors'

/** The error codes of the crawler, in addition to those of the engine. */
export const crawlErrorCodes = {
  ASOF_ADDRESS_REFUSED: { statusCode: 400, retryable: false },
  ASOF_FETCH_UNREACHABLE: { statusCode: 502, retryable: true },
  ASOF_FETCH_TIMEOUT: { statusCode: 504, retryable: true },
  ASOF_FETCH_STATUS: { statusCode: 422, retryable: false },
  ASOF_FETCH_REDIRECTS: { statusCode: 502, retryable: false },
  ASOF_FETCH_TOO_LARGE: { statusCode: 422, retryable: false },
  ASOF_ROBOTS_DISALLOWED: { statusCode: 422, retryable: false },
  ASOF_CORPUS_INVALID: { statusCode: 400, retryable: false },
  ASOF_LEASE_LOST: { statusCode: 503, retryable: true },
  ASOF_RENDERER_MISSING: { statusCode: 400, retryable: false },
} as const satisfies Record<string, ErrorKind>

/** The code of a {@link CrawlError}. {@link crawlErrorCodes} has the HTTP status of each. */
export type CrawlErrorCode = keyof typeof crawlErrorCodes

/** Returns the HTTP status of an error. For ASOF_FETCH_STATUS it depends on the status of the fetched site. */
function statusCodeOf(code: CrawlErrorCode, details: Readonly<Record<string, unknown>> | undefined): number {
  const target = code === 'ASOF_FETCH_STATUS' ? details?.status : undefined
  if (typeof target === 'number') {
    if (target === 404 || target === 410) return 404
    if (target === 429) return 429
    if (target >= 500) return 502
  }
  return crawlErrorCodes[code].statusCode
}

/** An error about fetching pages or reading a corpus, with the properties of every `AsofError`: `code`, `statusCode`, `retryable`, `details`. */
export class CrawlError extends AsofError<CrawlErrorCode> {
  constructor(
    code: CrawlErrorCode,
    message: string,
    { cause, details }: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    const { retryable } = crawlErrorCodes[code]
    super(code, message, { cause, details, retryable, statusCode: statusCodeOf(code, details) })
  }
}

/** True for a {@link CrawlError} with this code. */
export function isCrawlError(error: unknown, code: CrawlErrorCode): error is CrawlError {
  return isAsofError<CrawlErrorCode>(error, code)
}

/** An error of the engine or of the crawler. */
export type KnownError = AsofError | CrawlError

export function isKnownError(error: unknown): error is KnownError {
  return isAsofError(error)
}

/**
 * Returns the code and the message of an error for a report. An error without a code has `ERR_UNEXPECTED`. Words of a stranger are in
 * quotation marks in the message, see `messageWithSaid`.
 */
export function reportedError(error: unknown): { code: string; message: string } {
  return {
    code: isAsofError(error) ? error.code : 'ERR_UNEXPECTED',
    message: isError(error) ? messageWithSaid(error) : String(error),
  }
}
