import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  fetchReading,
  fetchRequest,
  historyReading,
  historyRequest,
  parseForm,
  readForm,
  readRequest,
  type SearchRequest,
  type Service,
  searchReading,
  searchRequest,
  suggestRequest,
} from '../../../service/index.ts'
import { requireAppIdentifier } from '../request/app-identifier.ts'
import { clientCall } from '../request/client-call.ts'
import { readJsonBody } from '../request/json-body.ts'
import { type Query, queryOf, strayParameters } from '../request/query-parameters.ts'
import { readerHeader } from '../request/reader-header.ts'
import { modeOf, refuseKeyedMode } from './keyed-mode.ts'
import { sendSearch } from './search-reply.ts'

/** The parameters of the request without `service_title`, which names the caller. */
function parametersOf({ service_title: _, ...parameters }: Query): Query {
  return parameters
}

function refuseOverLimit(request: FastifyRequest): void {
  if (request.overLimit) throw request.overLimit
}

/** Reads a posted search. Refusals have an order of precedence: 401, 429, 400. (404, 405, 413 and 415 come before the route.) */
async function postedSearch(request: FastifyRequest, service: Service): Promise<SearchRequest> {
  const body = readJsonBody(request.body)
  if ('value' in body) refuseKeyedMode(modeOf(body.value), 'unauthorized')
  refuseOverLimit(request)
  const query = queryOf(request)
  requireAppIdentifier(request, query)
  if ('refusal' in body) throw body.refusal
  const reading = searchReading(service, strayParameters(parametersOf(query)))
  return await readRequest(searchRequest, body.value, reading)
}

async function queriedSearch(request: FastifyRequest, service: Service): Promise<SearchRequest> {
  const query = queryOf(request)
  refuseKeyedMode(query.mode, 'unauthorized')
  refuseOverLimit(request)
  requireAppIdentifier(request, query)
  return await readForm(searchRequest, parametersOf(query), searchReading(service))
}

/** Adds E2, E4, history and suggestions without a key. They are free, within the rate limit of an address. */
export function addKeylessRoutes(app: FastifyInstance, service: Service): void {
  app.post('/v1/search/public', async (request, reply) =>
    sendSearch(reply, await service.search(await postedSearch(request, service), clientCall(request, reply))),
  )
  app.get('/v1/search/public', async (request, reply) =>
    sendSearch(reply, await service.search(await queriedSearch(request, service), clientCall(request, reply))),
  )
  app.get('/v1/suggest', async (request, reply) => {
    refuseOverLimit(request)
    return service.suggest(parseForm(suggestRequest, queryOf(request)), clientCall(request, reply))
  })
  app.get('/v1/fetch/public', async (request, reply) => {
    const query = queryOf(request)
    refuseOverLimit(request)
    requireAppIdentifier(request, query)
    return service.fetch(await readForm(fetchRequest, parametersOf(query), fetchReading(service)), {
      ...clientCall(request, reply),
      onReader: readerHeader(reply),
    })
  })
  app.get('/v1/history/public', async (request, reply) => {
    const query = queryOf(request)
    refuseOverLimit(request)
    requireAppIdentifier(request, query)
    const asked = await readForm(historyRequest, parametersOf(query), historyReading(service))
    return service.history(asked, clientCall(request, reply))
  })
}
