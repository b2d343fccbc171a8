import { shown } from '@asof/extract/errors'
import { ClientError } from './client-error.ts'
import type { ErrorResponse } from './wire.ts'

/** The three forms of an HTTP date (RFC 9110, 5.6.7) begin with the name of a day. `Date.parse` alone reads numbers as years. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

/**
 * Returns the `Retry-After` header in seconds (RFC 9110, 10.2.3), or `undefined` if the header is missing or malformed. Some servers
 * send fractions. A negative number is malformed, so it is no reason to repeat a call at once.
 */
function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (value === undefined) return undefined
  if (/^\d{1,9}(?:\.\d{0,9})?$/.test(value)) return Number(value)
  if (!httpDate.test(value)) return undefined
  // The form of asctime names no zone, and means UTC.
  const at = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}

/**
 * Refuses a redirect, which the client does not follow.
 *
 * @throws ClientError redirected
 */
async function refuseRedirect(response: Response, server: string): Promise<void> {
  const { status, type, headers, body } = response
  // Browsers hide the status and the target of a redirect.
  if (type !== 'opaqueredirect' && ![301, 302, 303, 307, 308].includes(status)) return
  await body?.cancel()
  const location = headers.get('location')
  const target = location === null ? 'another address' : shown(withoutPassword(location))
  throw new ClientError(
    'redirected',
    `${server} redirects to ${target}. Redirects are not followed, because they could send the key to another server: if that is the server, use its address.`,
    { status: status || undefined },
  )
}

/** Returns the text of a URL without its user name and password. The text may be malformed. */
export function withoutPassword(text: string): string {
  return text.replace(/\/\/[^?#]*@/, '//…@')
}

function isErrorBody(body: unknown): body is ErrorResponse {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
}

/**
 * Returns the JSON body of a successful response.
 *
 * @param server - the address of the server, for messages.
 * @throws ClientError - the response is a refusal or a redirect, or not from an asof server.
 */
export async function readAnswer(response: Response, server: string, now: number): Promise<unknown> {
  await refuseRedirect(response, server)
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
