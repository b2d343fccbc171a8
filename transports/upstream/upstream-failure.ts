import { causeOf, codeOf } from '@asof/extract/errors'
import { z } from 'zod'
import { type Charge, fetchFailures, ServiceError, type WireErrorName, wireErrors } from '../../service/index.ts'
import { ClientError } from '../client/index.ts'
import { isTemporary } from '../client/retry.ts'

/** A failure of the upstream server that its caller did not cause. It is for the operator: it may name the server. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  /** The `error` of the response, or of the client. */
  readonly code: string
  /** HTTP status, if there was a response. */
  readonly status: number | undefined

  constructor({ error, status, message, requestId }: ClientError, cause: unknown) {
    super(`upstream: ${status ?? 'no response'}: ${message}${requestId === undefined ? '' : ` (${requestId})`}`, {
      cause,
    })
    this.code = error
    this.status = status
  }
}

/** Errors that concern the request or its page. The caller gets these errors, because the caller can act on them. */
const ofCaller: readonly WireErrorName[] = [
  'invalid_request',
  'zdr_wizards_unsupported',
  'zdr_prompt_unsupported',
  'zdr_unsupported_profile',
  ...fetchFailures,
]

const fieldProblems = z.array(z.object({ path: z.string(), reason: z.string(), position: z.number().optional() }))

/** Returns the error of the upstream server if it concerns the request or its page, and `undefined` for any other failure. */
function refusalOf({ error, status, message, details, retryAfterSeconds }: ClientError): ServiceError | undefined {
  const kind = ofCaller.find(name => wireErrors[name].error === error && wireErrors[name].status === status)
  if (kind === undefined) return undefined
  const problems = fieldProblems.safeParse(details)
  return new ServiceError(kind, message, {
    details: problems.data,
    retryAfterSeconds: retryAfterSeconds && Math.ceil(retryAfterSeconds),
  })
}

/** Returns true if the request was never sent, because no connection was made. */
function isUnsent({ error, cause }: ClientError): boolean {
  const reason = causeOf(cause)
  const code = codeOf(reason)
  return error === 'connection_failed' && code === 'ECONNREFUSED'
}

/** Returns true if the upstream server can't have charged the call, and the same call may succeed soon. */
export function isRetryable(failure: unknown): failure is ClientError {
  if (!(failure instanceof ClientError) || failure.error === 'target_rate_limited') return false
  return isUnsent(failure) || isTemporary(failure)
}

const OPERATOR_RETRY_SECONDS = 60
const MAX_RETRY_SECONDS = 3_600

/**
 * Returns the error that a caller of the storefront gets for a failed upstream call. If the error has an {@link
 * UpstreamFailure} as its cause, the operator should see the cause. The message for the caller names neither the server nor the
 * key.
 */
export function callerError(
  failure: unknown,
  { noun, failedUpstream }: Pick<Charge<never, never>, 'noun' | 'failedUpstream'>,
): unknown {
  if (!(failure instanceof ClientError)) return failure
  const refusal = refusalOf(failure)
  if (refusal) return refusal
  const { status, error, retryAfterSeconds = 1 } = failure
  const cause = new UpstreamFailure(failure, failure)
  if (status === 401 || status === 402 || status === 403) {
    return new ServiceError('storefront_unavailable', 'The storefront is unavailable; nothing was charged.', {
      cause,
      retryAfterSeconds: OPERATOR_RETRY_SECONDS,
    })
  }
  if (isTemporary(failure) || error === 'connection_failed' || error === 'timed_out') {
    return new ServiceError('overloaded', `The ${noun} can't be answered right now; nothing was charged.`, {
      cause,
      retryAfterSeconds: Math.min(Math.max(Math.ceil(retryAfterSeconds), 1), MAX_RETRY_SECONDS),
    })
  }
  const message = `The server behind the storefront failed to answer the ${noun}; nothing was charged.`
  const waits = wireErrors[failedUpstream].status === 503
  return new ServiceError(failedUpstream, message, {
    cause,
    retryAfterSeconds: waits ? OPERATOR_RETRY_SECONDS : undefined,
  })
}
