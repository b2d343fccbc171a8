import { ClientError } from './client-error.ts'
import type { ErrorResponse } from './wire.ts'

/** Returns the `Retry-After` header in seconds (RFC 9110, 10.2.3), or `undefined` if the header is missing or malformed. */
function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}

function isErrorBody(body: unknown): body is ErrorResponse {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
}

/**
 * Returns the JSON body of a successful response.
 *
 * @throws ClientError - the response is a refusal, or not from an asof server.
 */
export async function readAnswer(response: Response, now: number): Promise<unknown> {
  const requestId = response.headers.get('x-request-id')
  const facts = {
    status: response.status,
    requestId: requestId ?? undefined,
    retryAfterSeconds: parseRetryAfter(response.headers, now),
  }
  let body: unknown
  const text = await response.text()
  try {
    body = JSON.parse(text) as unknown
  } catch (cause) {
    throw new ClientError(
      'not_an_answer',
      `The response is not from an asof server: status ${response.status} without JSON.`,
      { ...facts, cause },
    )
  }
  if (response.ok) return body
  if (!isErrorBody(body)) {
    throw new ClientError(
      'not_an_answer',
      `The response is not from an asof server: status ${response.status} with unknown JSON.`,
      facts,
    )
  }
  const { error, message, details } = body
  throw new ClientError(error, message ?? error, { ...facts, details })
}
