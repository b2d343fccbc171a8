import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../../service/index.ts'
import { httpDefaults } from '../settings.ts'

/**
 * Calls that are being answered, by connection. An answer that is queued behind another one on its connection gets no
 * `close` event, so the event of the connection aborts all of them.
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
 * Returns a signal that aborts when the caller closes the connection before it is answered, or when the answer takes too
 * long. Its reason is a ServiceError. (`request.signal` of Fastify aborts as soon as the body has been read.)
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
