/** What an error without an answer is called; an answer has its own `error`. */
export type ClientErrorKind = 'connection_failed' | 'timed_out' | 'not_an_answer'

/** A request that was not answered with a success. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** The status of the answer; absent when there was none. */
  readonly status?: number
  /** The `error` of the answer (spec 2.7), or a {@link ClientErrorKind}. */
  readonly error: string
  /** The `details` of the answer: on a 400 a list of `{ path, reason }`. */
  readonly details?: unknown
  /** The `X-Request-Id` of the answer, by which the server's operator finds it. */
  readonly requestId?: string
  /** The `Retry-After` of the answer, in seconds. */
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
