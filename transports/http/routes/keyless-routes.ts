import {
  capturesRequest,
  capturesResponse,
  fieldsRequest,
  fieldsResponse,
  pageRequest,
  pageResponse,
  type Service,
  suggestRequest,
  suggestResponse,
} from '../../../service/index.ts'
import { addWayIn, type CountRequest, refuseCaller, refuseKeyedMode } from '../admission/way-in.ts'
import { requireAppIdentifier } from '../request/app-identifier.ts'
import { clientCall, readerHeader, sendSearch } from '../request/service-call.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'
import { callSchemas } from './call-schemas.ts'
import { VERIFY_BYTES } from './charged-routes.ts'

const schemas = callSchemas({
  kind: 'keyless',
  shared: { security: [], sharedParameters: ['ServiceTitle', 'ServiceTitleQuery'] },
  searchFailures: ['missing_app_identifier', 'unauthorized'],
  fetchFailures: ['missing_app_identifier'],
})

const page = {
  operationId: 'page',
  summary: 'Read all that the index has of one page: its markdown, metadata, structured data and fields',
  security: [],
  sharedParameters: ['ServiceTitle', 'ServiceTitleQuery'],
  querystring: pageRequest,
  responses: {
    ...{ 200: jsonAnswer('The page.', named('PageResponse', pageResponse)) },
    ...failures([...always, 'missing_app_identifier', 'not_indexed']),
  },
} as const

const SEARCH_PATH = '/v1/search/public'

/**
 * Adds search, fetch, verification of quotes, history and whole pages without a key. Calls are free, within the rate limit of an address or session. Refusals have an order of
 * precedence: 401 for a mode that needs a key, 429, 400 for a missing name of the application, 400 for parameters.
 */
export function addKeylessRoutes(app: App, service: Service, count: CountRequest): void {
  addWayIn(
    app,
    async request => ({ limit: await count(request) }),
    (admission, request) => {
      if (request.routeOptions.url === SEARCH_PATH) refuseKeyedMode(request, 'unauthorized')
      refuseCaller(admission)
      requireAppIdentifier(request)
    },
  )
  app.post(SEARCH_PATH, { schema: schemas.searchPost('search_public_post') }, async (request, reply) =>
    sendSearch(reply, await service.search(request.body, clientCall(request, reply))),
  )
  app.get(SEARCH_PATH, { schema: schemas.searchGet('search_public_get') }, async (request, reply) =>
    sendSearch(reply, await service.search(request.query, clientCall(request, reply))),
  )
  app.get('/v1/fetch/public', { schema: schemas.fetch('fetch_public') }, async (request, reply) =>
    service.fetch(request.query, { ...clientCall(request, reply), onReader: readerHeader(reply) }),
  )
  const verify = schemas.verify('verify_public')
  app.post('/v1/verify/public', { schema: verify, bodyLimit: VERIFY_BYTES }, async (request, reply) =>
    service.verify(request.body, clientCall(request, reply)),
  )
  const history = schemas.history('history_public', ['missing_app_identifier'])
  app.get('/v1/history/public', { schema: history }, async (request, reply) =>
    service.history(request.query, clientCall(request, reply)),
  )
  app.get('/v1/page', { schema: page }, async (request, reply) =>
    service.page(request.query, clientCall(request, reply)),
  )
}

const suggest = {
  operationId: 'suggest',
  summary: 'Suggest titles and sites of the newest pages for the beginning of a query',
  security: [],
  querystring: suggestRequest,
  responses: {
    ...{ 200: jsonAnswer('The suggestions, best first.', named('SuggestResponse', suggestResponse)) },
    ...failures(always),
  },
}

const captures = {
  operationId: 'captures',
  summary: 'Count the captures of the index by the time at which they were acquired',
  security: [],
  querystring: capturesRequest,
  responses: {
    ...{ 200: jsonAnswer('A histogram of the captures.', named('CapturesResponse', capturesResponse)) },
    ...failures(always),
  },
}

const fields = {
  operationId: 'fields',
  summary: 'List the fields of pages, with their types and examples of their values',
  security: [],
  querystring: fieldsRequest,
  responses: {
    ...{ 200: jsonAnswer('The fields that pages have.', named('FieldsResponse', fieldsResponse)) },
    ...failures(always),
  },
}

/**
 * Adds suggestions, the list of fields and the histogram of captures. Calls need no name of the application, because they say little of a page, and
 * browsers request them while a person types or looks.
 */
export function addBrowsingRoutes(app: App, service: Service): void {
  app.get('/v1/captures', { schema: captures }, async (request, reply) =>
    service.captures(request.query, clientCall(request, reply)),
  )
  app.get('/v1/fields', { schema: fields }, async (request, reply) =>
    service.fields(request.query, clientCall(request, reply)),
  )
  app.get('/v1/suggest', { schema: suggest }, async (request, reply) =>
    service.suggest(request.query, clientCall(request, reply)),
  )
}
