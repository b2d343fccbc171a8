import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

const sane = /^[A-Za-z0-9._-]{8,64}$/

/**
 * The id of a request: its own `X-Request-Id`, so that a proxy or caller can follow it through its logs, if that is 8
 * to 64 letters, digits, dots, underscores or hyphens; else a new one.
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && sane.test(given) ? given : randomUUID()
}

/** Names the id on every answer, that of a preflight too. */
export function addRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
}
