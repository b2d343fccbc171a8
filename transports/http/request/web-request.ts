import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerSignal } from './caller-signal.ts'

/** A request in the form of the web's standards, its body as the bytes that came. */
export function webRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) headers.append(name, each)
  }
  const { body } = request
  return new Request(new URL(request.url, 'http://localhost'), {
    method: request.method,
    headers,
    signal: callerSignal(reply),
    ...(body instanceof Uint8Array && { body: new Uint8Array(body) }),
  })
}
