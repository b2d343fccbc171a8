import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Access, type Caller, chargedCalls, type Draw } from '../../service/accounts/index.ts'
import {
  feedbackRequest,
  fetchReading,
  fetchRequest,
  historyReading,
  historyRequest,
  readForm,
  readRequest,
  type SearchRequest,
  type Service,
  searchReading,
  searchRequest,
} from '../../service/index.ts'
import { admittedCaller } from '../limits/admission.ts'
import { callerSignal } from '../request/caller-signal.ts'
import { clientCall } from '../request/client-call.ts'
import { readJsonBody } from '../request/json-body.ts'
import { queryOf, strayParameters } from '../request/query-parameters.ts'
import { readerHeader } from '../request/reader-header.ts'
import { sendSearch } from './search-reply.ts'

// Without HEAD, which would either cost a credit or be unpaid work.
const keyed = { config: { admits: 'key' }, exposeHeadRoute: false } as const

function bodyOf(request: FastifyRequest): unknown {
  const body = readJsonBody(request.body)
  if ('refusal' in body) throw body.refusal
  return body.value
}

/** True if the answer can't be delivered, because the call timed out or the caller has gone. Such a call costs nothing. */
function isTooLate(reply: FastifyReply): boolean {
  return reply.sent || reply.raw.destroyed
}

/**
 * Adds E1, E3, E5 and the history with a key. Refusals have an order of precedence: 401, 403, 429, 400, refusals by a
 * retention policy, 402. (404, 405, 413 and 415 come before the route.) The charge is on disk before a 200 is sent.
 */
export function addKeyedRoutes(app: FastifyInstance, service: Service, access: Access): void {
  const callsOf = (caller: Caller, reply: FastifyReply) =>
    chargedCalls(service, access, caller, { isTooLate: () => isTooLate(reply), signal: callerSignal(reply) })

  /** Sets the header `X-Asof-Usage` to the charge of the call, unless the call timed out. */
  function recordDraw(reply: FastifyReply, draw: Draw | undefined): void {
    reply.request.draw = draw
    if (draw && !reply.sent) reply.header('x-asof-usage', JSON.stringify(draw))
  }

  async function search(caller: Caller, search: SearchRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { answer, draw } = await callsOf(caller, reply).search(search)
    recordDraw(reply, draw)
    return reply.sent ? reply : sendSearch(reply, answer)
  }
  app.post('/v1/search', keyed, async (request, reply) => {
    const caller = admittedCaller(request)
    const reading = searchReading(service, strayParameters(queryOf(request)))
    return search(caller, await readRequest(searchRequest, bodyOf(request), reading), reply)
  })
  app.get('/v1/search', keyed, async (request, reply) => {
    const caller = admittedCaller(request)
    return search(caller, await readForm(searchRequest, queryOf(request), searchReading(service)), reply)
  })
  app.get('/v1/fetch', keyed, async (request, reply) => {
    const caller = admittedCaller(request)
    const fetch = await readForm(fetchRequest, queryOf(request), fetchReading(service))
    const { answer, draw } = await callsOf(caller, reply).fetch(fetch, { onReader: readerHeader(reply) })
    recordDraw(reply, draw)
    return reply.sent ? reply : reply.send(answer)
  })
  // Free of charge; counts only against the rate limit of the organization.
  app.get('/v1/history', keyed, async (request, reply) => {
    admittedCaller(request)
    const asked = await readForm(historyRequest, queryOf(request), historyReading(service))
    return service.history(asked, clientCall(request, reply))
  })
  app.post('/v1/feedback', keyed, async request => {
    const { organisation } = admittedCaller(request)
    const reading = { standIn: {}, check: async () => {}, problems: strayParameters(queryOf(request)) }
    const feedback = await readRequest(feedbackRequest, bodyOf(request), reading)
    return service.feedback(feedback, { organisation: organisation.id, zdr: organisation.zdr })
  })
}
