import type { FastifyInstance } from 'fastify'
import type { CountByAddress } from '../../../service/accounts/index.ts'
import {
  fetchReading,
  fetchRequest,
  historyReading,
  historyRequest,
  parseForm,
  readForm,
  readRequest,
  type Service,
  searchReading,
  searchRequest,
  suggestRequest,
} from '../../../service/index.ts'
import { addWayIn, refuseCaller } from '../limits/way-in.ts'
import { requireAppIdentifier } from '../request/app-identifier.ts'
import { clientCall } from '../request/client-call.ts'
import { bodyOf } from '../request/json-body.ts'
import { queryOf, strayParameters } from '../request/query-parameters.ts'
import { readerHeader } from '../request/reader-header.ts'
import { refuseKeyedMode } from './keyed-mode.ts'
import { sendSearch } from './search-reply.ts'

const SEARCH_PATH = '/v1/search/public'

/**
 * Adds E2, E4 and history without a key. They are free, within the rate limit of an address. Refusals have an order of
 * precedence: 401 for a mode that needs a key, 429, 400 for a missing name of the application, 400 for parameters.
 */
export function addKeylessRoutes(app: FastifyInstance, service: Service, byAddress: CountByAddress): void {
  addWayIn(
    app,
    async request => ({ limit: await byAddress(request.ip) }),
    (admission, request) => {
      if (request.routeOptions.url === SEARCH_PATH) refuseKeyedMode(request, 'unauthorized')
      refuseCaller(admission)
      requireAppIdentifier(request)
    },
  )
  app.post(SEARCH_PATH, async (request, reply) => {
    const reading = searchReading(service, strayParameters(queryOf(request)))
    const search = await readRequest(searchRequest, bodyOf(request), reading)
    return sendSearch(reply, await service.search(search, clientCall(request, reply)))
  })
  app.get(SEARCH_PATH, async (request, reply) => {
    const search = await readForm(searchRequest, queryOf(request), searchReading(service))
    return sendSearch(reply, await service.search(search, clientCall(request, reply)))
  })
  app.get('/v1/fetch/public', async (request, reply) => {
    const fetch = await readForm(fetchRequest, queryOf(request), fetchReading(service))
    return service.fetch(fetch, { ...clientCall(request, reply), onReader: readerHeader(reply) })
  })
  app.get('/v1/history/public', async (request, reply) => {
    const history = await readForm(historyRequest, queryOf(request), historyReading(service))
    return service.history(history, clientCall(request, reply))
  })
}

/** Adds suggestions. They need no name of the application, because browsers ask for them while a person types. */
export function addSuggestRoute(app: FastifyInstance, service: Service): void {
  app.get('/v1/suggest', async (request, reply) =>
    service.suggest(parseForm(suggestRequest, queryOf(request)), clientCall(request, reply)),
  )
}
