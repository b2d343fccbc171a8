/** The `error` of a request without an answer of an asof server. */
export type ClientErrorKind = 'connection_failed' | 'timed_out' | 'not_an_answer'

/** The failure of a request. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** HTTP status. Absent if there was no response. */
  readonly status?: number
  /** The `error` of the response (spec 2.7), or a {@link ClientErrorKind}. */
  readonly error: string
  /** The `details` of the response. For a 400 a list of `{ path, reason }`. */
  readonly details?: unknown
  /** The `X-Request-Id` of the response, with which the operator of the server finds it in the logs. */
  readonly requestId?: string
  /** The `Retry-After` of the response, seconds. */
  readonly retryAfterSeconds?: number

  constructor(
    error: string,
    message: string,
    facts: { status?: number; details?: unknown; requestId?: string; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.error = error
    if (facts.status !== undefined) this.status = facts.status
    if (facts.details !== undefined) this.details = facts.details
    if (facts.requestId !== undefined) this.requestId = facts.requestId
    if (facts.retryAfterSeconds !== undefined) this.retryAfterSeconds = facts.retryAfterSeconds
  }
}
