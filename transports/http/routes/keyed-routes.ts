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
import { namedIn } from '../request/reader-header.ts'
import { sendSearch } from './search-reply.ts'

// Without HEAD: it would cost a credit, or be work that is not paid for.
const keyed = { config: { admits: 'key' }, exposeHeadRoute: false } as const

function bodyOf(request: FastifyRequest): unknown {
  const body = readJsonBody(request.body)
  if ('refusal' in body) throw body.refusal
  return body.value
}

/** Whether the caller was answered otherwise meanwhile, or is gone: what can't be delivered costs nothing. */
function isTooLate(reply: FastifyReply): boolean {
  return reply.sent || reply.raw.destroyed
}

/**
 * E1, E3 and E5. Refusals come in one order: 401, 403, 429, then 400, what a retention policy does not allow, 402 (404, 405,
 * 413 and 415 were decided before the route). The draw is on disk before a 200 leaves.
 */
export function addKeyedRoutes(app: FastifyInstance, service: Service, access: Access): void {
  const callsOf = (caller: Caller, reply: FastifyReply) =>
    chargedCalls(service, access, caller, { isTooLate: () => isTooLate(reply), signal: callerSignal(reply) })

  /** Names what the call cost in `X-Asof-Usage`, unless it was answered otherwise meanwhile. */
  function noteDraw(reply: FastifyReply, draw: Draw | undefined): void {
    reply.request.draw = draw
    if (draw && !reply.sent) reply.header('x-asof-usage', JSON.stringify(draw))
  }

  async function search(caller: Caller, search: SearchRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { answer, draw } = await callsOf(caller, reply).search(search)
    noteDraw(reply, draw)
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
    const { answer, draw } = await callsOf(caller, reply).fetch(fetch, { onReader: namedIn(reply) })
    noteDraw(reply, draw)
    return reply.sent ? reply : reply.send(answer)
  })
  // Free of charge: it counts against the limit of the organization alone.
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
