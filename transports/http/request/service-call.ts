import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientNetwork } from '../../../service/accounts/index.ts'
import { type Answered, ServiceError } from '../../../service/index.ts'
import { httpDefaults } from '../http-defaults.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The public address of the server, without a trailing slash. */
    baseUrl: string | undefined
  }
  interface FastifyRequest {
    /** The client whose fair share the request uses, if its way in knows it otherwise than by a key. */
    client: string | undefined
  }
}

/**
 * Calls that are being answered, by connection. An answer that waits behind another answer on its connection gets no `close`
 * event. So the `close` event of the connection aborts all its calls.
 */
const callsOf = new WeakMap<Socket, Set<AbortController>>()

function refusal(message: string): ServiceError {
  return new ServiceError('overloaded', message, { retryAfterSeconds: 1 })
}

function callsOn(socket: Socket): Set<AbortController> {
  const known = callsOf.get(socket)
  if (known) return known
  const calls = new Set<AbortController>()
  callsOf.set(socket, calls)
  socket.once('close', () => {
    for (const call of calls) call.abort(refusal('The caller closed the connection.'))
  })
  return calls
}

/**
 * Returns a signal that aborts when the caller closes the connection before it is answered, or when the answer takes too long.
 * The reason of the signal is a ServiceError. (Fastify's own `request.signal` can't be used: it aborts as soon as the body has
 * been read.)
 */
export function callerSignal({ raw, request }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const calls = callsOn(request.socket)
  calls.add(controller)
  const late = setTimeout(() => {
    controller.abort(refusal('The answer took too long.'))
  }, httpDefaults.answerTimeoutMs).unref()
  controller.signal.addEventListener('abort', () => clearTimeout(late), { once: true })
  raw.once('finish', () => {
    clearTimeout(late)
    calls.delete(controller)
  })
  return controller.signal
}

/** Returns the client whose fair share a request uses: the organization of its key, the one that its way in knows, or else its network. */
export function clientOf(request: FastifyRequest): string {
  return request.caller?.organization.id ?? request.client ?? clientNetwork(request.ip)
}

/** Returns the address of the server: the public one or, if none is set, the one that the request names. */
export function baseUrlOf({ protocol, server, headers: { host = '' } }: FastifyRequest): string {
  // `X-Forwarded-Host` is not used, because callers can forge it.
  return server.baseUrl ?? (/^[\w.:[\]-]+$/.test(host) ? `${protocol}://${host}` : server.listeningOrigin)
}

/**
 * Returns the client of a request, a signal that cancels the work when the caller disconnects, and the address of the server for links
 * in the answer.
 */
export function clientCall(
  request: FastifyRequest,
  reply: FastifyReply,
): { client: string; signal: AbortSignal; base: string } {
  return { client: clientOf(request), signal: callerSignal(reply), base: baseUrlOf(request) }
}

/** Returns the headers of an answer: the receipt of a search, and the reader that answered a `prompt`. */
export function answerHeaders({ receipt, reader }: Answered<unknown>): Record<string, string> {
  const headers: Record<string, string> = {}
  // A header value must be ASCII, so other characters are written as JSON escapes.
  if (receipt)
    headers['x-asof-receipt'] = JSON.stringify(receipt).replace(
      /[^\x20-\x7e]/g,
      unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  if (reader !== undefined) headers['x-asof-reader'] = reader
  return headers
}

/** Sends an answer, unless the call took too long and has been answered already. */
export function sendAnswer(reply: FastifyReply, answered: Answered<unknown>): FastifyReply {
  return reply.sent ? reply : reply.headers(answerHeaders(answered)).send(answered.body)
}

/**
 * Returns true if the answer can't be delivered, because the call timed out or the caller disconnected. Such a call costs
 * nothing.
 */
export function isTooLate(reply: FastifyReply): boolean {
  return reply.sent || reply.raw.destroyed
}

/**
 * Reports, after the answer ended, whether it was sent completely. An error that is sent in its place is reported as not sent.
 */
export function reportSent(reply: FastifyReply, report: (sent: boolean) => void): void {
  finished(reply.raw).then(
    () => report(reply.statusCode === 200),
    () => report(false),
  )
}
