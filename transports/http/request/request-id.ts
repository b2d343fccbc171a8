import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

const acceptable = /^[A-Za-z0-9._-]{8,64}$/

/**
 * The id of a request. It is the `X-Request-Id` of the request if that has 8 to 64 letters, digits, dots, underscores or
 * hyphens, so that proxies and callers find the request in their logs; otherwise it is a new id.
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
}

/** Sets the header `X-Request-Id` of every answer, also of CORS preflights. */
export function addRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
}
