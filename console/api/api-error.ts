import type { ErrorResponse, FieldProblem } from './wire.ts'

/** Why a call has no answer. `offline`: the server was not reached. `unexpected`: the answer is not of this API. */
export type ApiFailure = 'offline' | 'unexpected' | 'rate_limited' | 'invalid_request' | 'not_indexed' | (string & {})

/** A call that failed. */
export class ApiError extends Error {
  readonly failure: ApiFailure
  /** 0 if there was no answer. */
  readonly status: number
  /** The fields that the server refused. */
  readonly problems: readonly FieldProblem[]
  readonly retryAfterSeconds: number | undefined
  /** Identifies the request to the operator of the server. */
  readonly requestId: string | undefined

  constructor(
    failure: ApiFailure,
    status: number,
    options: {
      message?: string
      problems?: readonly FieldProblem[]
      retryAfterSeconds?: number | undefined
      requestId?: string | undefined
      cause?: unknown
    } = {},
  ) {
    super(options.message ?? failure, { cause: options.cause })
    this.failure = failure
    this.status = status
    this.problems = options.problems ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
    this.requestId = options.requestId
  }
}

/** Returns a failure about the only item of a list, with its fields named as if it were no list. */
export function withoutPlace(error: ApiError, place: string): ApiError {
  const problems = error.problems.map(({ path, reason }) => ({
    path: path.startsWith(place) ? path.slice(place.length) : path,
    reason,
  }))
  return new ApiError(error.failure, error.status, { ...error, message: error.message, problems })
}

/** Reads the error body of an answer (spec 2.7). */
export async function failureOf(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id') ?? undefined
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const common = { requestId, retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter }
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorResponse> | undefined
  if (typeof body?.error !== 'string') return new ApiError('unexpected', response.status, common)
  const { error, message, details } = body
  const problems = Array.isArray(details) ? (details as FieldProblem[]) : []
  return new ApiError(error, response.status, { ...common, message, problems })
}
