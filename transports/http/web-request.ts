import type { FastifyReply, FastifyRequest } from 'fastify'

/** A signal that is aborted when the caller goes away before it has its answer. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.on('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller.signal
}

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
    signal: goneSignal(reply),
    ...(body instanceof Uint8Array && { body: new Uint8Array(body) }),
  })
}
