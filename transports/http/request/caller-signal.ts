import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../service/index.ts'
import { httpDefaults } from '../settings.ts'

/** Calls that are being answered, by connection: an answer behind another one is not told that the connection ended. */
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
    for (const call of calls) call.abort(refusal('The caller went away.'))
  })
  return calls
}

/**
 * A signal that aborts when the caller goes away before it has its answer, or after the time that an answer may take. Its
 * reason is a ServiceError. (Fastify's own `request.signal` aborts as soon as a body has been read.)
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
