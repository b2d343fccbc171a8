import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ChargedCalls, chargedCalls, type Draw, type Payer } from '../../../service/accounts/index.ts'
import type { SearchRequest, Service } from '../../../service/index.ts'
import { callerSignal, readerHeader, sendSearch } from '../request/service-call.ts'
import type { App } from '../schema/route-schema.ts'
import type { callSchemas } from './call-schemas.ts'

type CallSchemas = ReturnType<typeof callSchemas>

/** A way in whose calls are charged. */
export interface ChargedWayIn {
  /** The path before `/search` and `/fetch`. */
  prefix: '/v1' | '/v1/storefront'
  schemas: { [Call in 'searchPost' | 'searchGet' | 'fetch']: ReturnType<CallSchemas[Call]> }
  /** Returns the payer of a request that was admitted. */
  payerOf: (request: FastifyRequest) => Payer
}

/** True if the answer can't be delivered, because the call timed out or the caller has gone. Such a call costs nothing. */
function isTooLate(reply: FastifyReply): boolean {
  return reply.sent || reply.raw.destroyed
}

/** Sets the header `X-Asof-Usage` to the charge of the call, unless the call timed out. */
function recordDraw(reply: FastifyReply, draw: Draw | undefined): void {
  reply.request.draw = draw
  if (draw && !reply.sent) reply.header('x-asof-usage', JSON.stringify(draw))
}

/** Adds search, by GET and POST, and fetch. The charge is on disk before a 200 is sent. */
export function addChargedRoutes(app: App, service: Service, { prefix, schemas, payerOf }: ChargedWayIn): void {
  // Without HEAD, which would either be charged or be unpaid work.
  const exposeHeadRoute = false

  function callsOf(request: FastifyRequest, reply: FastifyReply): ChargedCalls {
    const delivery = { isTooLate: () => isTooLate(reply), signal: callerSignal(reply) }
    return chargedCalls(service, payerOf(request), delivery)
  }
  async function search(asked: SearchRequest, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { answer, draw } = await callsOf(request, reply).search(asked)
    recordDraw(reply, draw)
    return reply.sent ? reply : sendSearch(reply, answer)
  }
  app.post(`${prefix}/search`, { schema: schemas.searchPost }, async (request, reply) =>
    search(request.body, request, reply),
  )
  app.get(`${prefix}/search`, { schema: schemas.searchGet, exposeHeadRoute }, async (request, reply) =>
    search(request.query, request, reply),
  )
  app.get(`${prefix}/fetch`, { schema: schemas.fetch, exposeHeadRoute }, async (request, reply) => {
    const { answer, draw } = await callsOf(request, reply).fetch(request.query, { onReader: readerHeader(reply) })
    recordDraw(reply, draw)
    return reply.sent ? reply : reply.send(answer)
  })
}
