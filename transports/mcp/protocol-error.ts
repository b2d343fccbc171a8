import type { Transport } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { fieldReasons } from '../../crawler/field-reason.ts'

interface ErrorMessage {
  error: { code: number; message: string; data?: unknown }
}

function isError(message: unknown): message is ErrorMessage {
  if (typeof message !== 'object' || message === null || !('error' in message)) return false
  const { error } = message
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
}

function isIssue(value: unknown): value is z.core.$ZodIssue {
  if (typeof value !== 'object' || value === null) return false
  const { code, message, path } = value as { code?: unknown; message?: unknown; path?: unknown }
  return typeof code === 'string' && typeof message === 'string' && Array.isArray(path)
}

/** The issues that the SDK writes into a message as JSON, if there are any. */
function issuesIn(text: string): z.core.$ZodIssue[] | undefined {
  const start = text.indexOf('[')
  if (start < 0) return undefined
  try {
    const issues: unknown = JSON.parse(text.slice(start))
    return Array.isArray(issues) && issues.length > 0 && issues.every(isIssue) ? issues : undefined
  } catch {
    // The text in brackets is not a list of issues.
    return undefined
  }
}

function reasonsOf(issues: readonly z.core.$ZodIssue[]): string {
  const given = issues.map(issue =>
    // An issue in JSON has lost the value, and says of a missing one that it received `undefined`.
    issue.code === 'invalid_type' ? { ...issue, input: /undefined$/.test(issue.message) ? undefined : null } : issue,
  )
  return fieldReasons(z.unknown(), new z.ZodError(given as z.core.$ZodIssue[]))
    .map(({ path, reason }) => (path.length === 0 ? reason : `${path.join('.')}: ${reason}`))
    .join('; ')
}

/** How the validation library of the SDK describes one wrong value. */
const wrongValue =
  /Invalid (?:input|option|string|key)[^;,]*(?:, received \w+)?|Too (?:big|small):[^;]*|Unrecognized keys?:[^;]*/g

function inOurWords(text: string): string {
  const issues = issuesIn(text)
  if (issues) return `The request is not of the protocol's form: ${reasonsOf(issues)}`
  return text.replace(wrongValue, found =>
    found.endsWith('undefined') ? 'required' : 'has a value that the protocol does not allow',
  )
}

/** A value of JSON with its texts in our words; those deeper than the SDK's own data stay as they are. */
function withPlainTexts(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return inOurWords(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > 3) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withPlainTexts(part, depth + 1)]))
}

/**
 * Rewords an outgoing message of the protocol: the SDK answers malformed messages in the words of its validation library.
 */
export function withPlainError<Message>(message: Message): Message {
  if (!isError(message)) return message
  const { error } = message
  const { data } = error
  const plainData = data === undefined ? {} : { data: withPlainTexts(data) }
  return { ...message, error: { ...error, message: inOurWords(error.message), ...plainData } }
}

/** Puts the errors that go out over a transport into our words. */
export function plainErrors<Sender extends Pick<Transport, 'send'>>(transport: Sender): Sender {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(withPlainError(message), options)
  return transport
}

/** An answer to a message that did not get as far as a server of the SDK, with its error in our words. */
export async function plainErrorResponse(response: Response): Promise<Response> {
  if (response.status < 400 || !response.headers.get('content-type')?.includes('application/json')) return response
  const text = await response.text()
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  try {
    return new Response(JSON.stringify(withPlainError(JSON.parse(text))), { status, statusText, headers })
  } catch {
    // Not the JSON that it says it is: then it holds no error of the SDK either.
    return new Response(text, { status, statusText, headers })
  }
}
