import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerSignal } from './caller-signal.ts'
import { postedBody } from './json-body.ts'

/** A Fastify request as a `Request` of the Fetch standard, with the received bytes as its body. */
export function webRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) headers.append(name, each)
  }
  const body = postedBody(request)
  return new Request(new URL(request.url, 'http://localhost'), {
    method: request.method,
    headers,
    signal: callerSignal(reply),
    body: body && new Uint8Array(body.bytes),
  })
}
