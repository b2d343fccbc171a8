import type { Transport } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { fieldPath, fieldReasons } from '../../crawler/field-reason.ts'

/** The codes of JSON-RPC 2.0, 5.1. */
const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603

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

/** Returns the zod issues that the SDK wrote into a message as JSON, or `undefined` if there are none. */
function issuesIn(text: string): z.core.$ZodIssue[] | undefined {
  const start = text.indexOf('[')
  if (start < 0) return undefined
  try {
    const issues: unknown = JSON.parse(text.slice(start))
    return Array.isArray(issues) && issues.length > 0 && issues.every(isIssue) ? issues : undefined
  } catch {
    // The text in brackets is not JSON.
    return undefined
  }
}

function reasonsOf(issues: readonly z.core.$ZodIssue[]): string {
  const withInput = issues.map(issue =>
    // The SDK leaves out the wrong value of an issue. Only the message of the issue shows whether a value was given.
    issue.code === 'invalid_type' ? { ...issue, input: /undefined$/.test(issue.message) ? undefined : null } : issue,
  )
  return fieldReasons(z.unknown(), new z.ZodError(withInput as z.core.$ZodIssue[]))
    .map(({ path, reason }) => (path.length === 0 ? reason : `${fieldPath(path)}: ${reason}`))
    .join('; ')
}

/** The phrases with which the SDK's validation library describes a wrong value. */
const wrongValue =
  /Invalid (?:input|option|string|key)[^;,]*(?:, received \w+)?|Too (?:big|small):[^;]*|Unrecognized keys?:[^;]*/g

function reword(text: string): string {
  const issues = issuesIn(text)
  if (issues) return `The request does not match the protocol: ${reasonsOf(issues)}`
  return text.replace(wrongValue, found =>
    found.endsWith('undefined') ? 'required' : 'has a value that the protocol does not allow',
  )
}

/** Rewords the texts in a JSON value. Does not change texts that are nested deeper than those of the SDK. */
function rewordTexts(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return reword(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > 3) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rewordTexts(part, depth + 1)]))
}

/**
 * Rewords the error of an outgoing protocol message. The SDK uses the words of its validation library.
 */
function rewordError<Message>(message: Message): Message {
  if (!isError(message)) return message
  const { error } = message
  // The SDK reports wrong parameters of its own methods as an internal error.
  const code = error.code === INTERNAL_ERROR && issuesIn(error.message) ? INVALID_PARAMS : error.code
  return { ...message, error: { ...error, code, message: reword(error.message), data: rewordTexts(error.data) } }
}

/** Rewords all errors that are sent over a transport. */
export function rewordErrors<Sender extends Pick<Transport, 'send'>>(transport: Sender): Sender {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(rewordError(message), options)
  return transport
}

/** Rewords the error in an HTTP response to a message that the SDK rejected before any tool was called. */
export async function rewordErrorResponse(response: Response): Promise<Response> {
  if (response.status < 400 || !response.headers.get('content-type')?.includes('application/json')) return response
  const text = await response.text()
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  try {
    return new Response(JSON.stringify(rewordError(JSON.parse(text))), { status, statusText, headers })
  } catch {
    // The body is not JSON despite its media type, so it has no error of the SDK.
    return new Response(text, { status, statusText, headers })
  }
}

/** Returns the id of a request, or null if the message has none. */
export function messageIdOf(message: unknown): string | number | null {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** Returns the HTTP response that refuses a message which the SDK does not get. */
export function refusedMessage(
  message: unknown,
  { status, code, text }: { status: number; code: number; text: string },
): Response {
  return Response.json({ jsonrpc: '2.0', id: messageIdOf(message), error: { code, message: text } }, { status })
}
