/** The `error` of a request that no asof server answered. */
export type ClientErrorKind = 'connection_failed' | 'timed_out' | 'not_an_answer' | 'redirected'

/** The error of a failed request: the server refused the request, or did not answer. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** HTTP status. Absent if there was no response. */
  readonly status: number | undefined
  /** The `error` of the response (spec 2.7), or a {@link ClientErrorKind}. */
  readonly error: string
  /** The `details` of the response. For a 400 a list of `{ path, reason }`. */
  readonly details: unknown
  /** The `X-Request-Id` of the response. With this id the operator of the server finds the request in the logs. */
  readonly requestId: string | undefined
  /** The `Retry-After` of the response, seconds. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    error: string,
    message: string,
    facts: {
      status?: number | undefined
      details?: unknown
      requestId?: string | undefined
      retryAfterSeconds?: number | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.error = error
    this.status = facts.status
    this.details = facts.details
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
  }
}
