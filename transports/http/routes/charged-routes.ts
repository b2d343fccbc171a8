import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type BillingAccount,
  type CallCharge,
  type ChargedCalls,
  chargedCalls,
} from '../../../service/accounts/index.ts'
import type { ChargedService, SearchRequest } from '../../../service/index.ts'
import { baseUrlOf, callerSignal, readerHeader, sendSearch } from '../request/service-call.ts'
import type { App } from '../schema/route-schema.ts'
import type { callSchemas } from './call-schemas.ts'

type CallSchemas = ReturnType<typeof callSchemas>

/** Maximum size of a request to verify quotes: 100 of them are larger than other requests. */
export const VERIFY_BYTES = 1024 * 1024

/** A way in whose calls are charged. */
interface ChargedWayIn {
  /** The path before `/search` and `/fetch`. */
  prefix: '/v1' | '/v1/storefront'
  schemas: { [Call in 'searchPost' | 'searchGet' | 'fetch']: ReturnType<CallSchemas[Call]> } & {
    /** Default: quotes are not verified. */
    verify?: ReturnType<CallSchemas['verify']>
  }
  /** Returns the service that answers a request. */
  serviceFor: (request: FastifyRequest) => ChargedService
  /** Returns the account to which an admitted request is charged. */
  accountOf: (request: FastifyRequest) => BillingAccount
}

/**
 * Returns true if the answer can't be delivered, because the call timed out or the caller disconnected. Such a call costs
 * nothing.
 */
function isTooLate(reply: FastifyReply): boolean {
  return reply.sent || reply.raw.destroyed
}

/** Sets the header `X-Asof-Usage` to the charge of the call, unless the call timed out. */
function recordCharge(reply: FastifyReply, charge: CallCharge | undefined): void {
  reply.request.charge = charge
  if (charge && !reply.sent) reply.header('x-asof-usage', JSON.stringify(charge))
}

/** Adds search, by GET and POST, fetch, and the verification of quotes. The charge is on disk before a 200 is sent. */
export function addChargedRoutes(app: App, { prefix, schemas, serviceFor, accountOf }: ChargedWayIn): void {
  // HEAD is not supported: a HEAD request would be charged without an answer, or cause work without a charge.
  const exposeHeadRoute = false

  function callsOf(request: FastifyRequest, reply: FastifyReply): ChargedCalls {
    const context = { isTooLate: () => isTooLate(reply), signal: callerSignal(reply), base: baseUrlOf(request) }
    return chargedCalls(serviceFor(request), accountOf(request), context)
  }
  async function search(asked: SearchRequest, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { answer, charge } = await callsOf(request, reply).search(asked)
    recordCharge(reply, charge)
    return reply.sent ? reply : sendSearch(reply, answer)
  }
  app.post(`${prefix}/search`, { schema: schemas.searchPost }, async (request, reply) =>
    search(request.body, request, reply),
  )
  app.get(`${prefix}/search`, { schema: schemas.searchGet, exposeHeadRoute }, async (request, reply) =>
    search(request.query, request, reply),
  )
  app.get(`${prefix}/fetch`, { schema: schemas.fetch, exposeHeadRoute }, async (request, reply) => {
    const { answer, charge } = await callsOf(request, reply).fetch(request.query, { onReader: readerHeader(reply) })
    recordCharge(reply, charge)
    return reply.sent ? reply : reply.send(answer)
  })
  if (!schemas.verify) return
  app.post(`${prefix}/verify`, { schema: schemas.verify, bodyLimit: VERIFY_BYTES }, async (request, reply) => {
    const { answer, charge } = await callsOf(request, reply).verify(request.body)
    recordCharge(reply, charge)
    return reply.sent ? reply : reply.send(answer)
  })
}
