import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ChargedCalls, chargedCalls, type Draw, type Payer } from '../../../service/accounts/index.ts'
import {
  fetchReading,
  fetchRequest,
  readForm,
  readRequest,
  type SearchRequest,
  type Service,
  searchReading,
  searchRequest,
} from '../../../service/index.ts'
import { callerSignal } from '../request/caller-signal.ts'
import { bodyOf } from '../request/json-body.ts'
import { queryOf, strayParameters } from '../request/query-parameters.ts'
import { readerHeader } from '../request/reader-header.ts'
import { sendSearch } from './search-reply.ts'

/** A way in whose calls are charged. */
export interface ChargedWayIn {
  /** The path before `/search` and `/fetch`. */
  prefix: '/v1' | '/v1/storefront'
  /** Returns the payer of a request that was admitted. */
  payerOf: (request: FastifyRequest) => Payer
}

/** True if the answer can't be delivered, because the call timed out or the caller has gone. Such a call costs nothing. */
function isTooLate(reply: FastifyReply): boolean {
  return reply.sent || reply.raw.destroyed
}

/** How the times of a payer's searches are read. */
function rulesOf({ weeksInFilters = false }: Payer): { weeksInFilters: boolean } {
  return { weeksInFilters }
}

/** Sets the header `X-Asof-Usage` to the charge of the call, unless the call timed out. */
function recordDraw(reply: FastifyReply, draw: Draw | undefined): void {
  reply.request.draw = draw
  if (draw && !reply.sent) reply.header('x-asof-usage', JSON.stringify(draw))
}

/** Adds search, by GET and POST, and fetch. The charge is on disk before a 200 is sent. */
export function addChargedRoutes(app: FastifyInstance, service: Service, { prefix, payerOf }: ChargedWayIn): void {
  // Without HEAD, which would either be charged or be unpaid work.
  const options = { exposeHeadRoute: false }
  const callsOf = (payer: Payer, reply: FastifyReply): ChargedCalls =>
    chargedCalls(service, payer, { isTooLate: () => isTooLate(reply), signal: callerSignal(reply) })

  async function search(payer: Payer, search: SearchRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { answer, draw } = await callsOf(payer, reply).search(search)
    recordDraw(reply, draw)
    return reply.sent ? reply : sendSearch(reply, answer)
  }
  app.post(`${prefix}/search`, async (request, reply) => {
    const payer = payerOf(request)
    const reading = searchReading(service, strayParameters(queryOf(request)), rulesOf(payer))
    return search(payer, await readRequest(searchRequest, bodyOf(request), reading), reply)
  })
  app.get(`${prefix}/search`, options, async (request, reply) => {
    const payer = payerOf(request)
    const reading = searchReading(service, [], rulesOf(payer))
    return search(payer, await readForm(searchRequest, queryOf(request), reading), reply)
  })
  app.get(`${prefix}/fetch`, options, async (request, reply) => {
    const payer = payerOf(request)
    const fetch = await readForm(fetchRequest, queryOf(request), fetchReading(service))
    const { answer, draw } = await callsOf(payer, reply).fetch(fetch, { onReader: readerHeader(reply) })
    recordDraw(reply, draw)
    return reply.sent ? reply : reply.send(answer)
  })
}
