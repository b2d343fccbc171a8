import { suggestRequest } from '../../../service/index.ts'
import { queryParameters } from './json-schema.ts'
import type { Paths } from './operation.ts'
import { always, answer, failures } from './responses.ts'
import { history, searchAndFetch } from './search-and-fetch.ts'
import { fetching, type WayIn } from './way-in.ts'

const keyless: WayIn = {
  path: { before: '', after: '/public' },
  operationIds: { searchPost: 'search_public_post', searchGet: 'search_public_get', fetch: 'fetch_public' },
  kind: 'keyless',
  parameters: [{ $ref: '#/components/parameters/ServiceTitle' }, { $ref: '#/components/parameters/ServiceTitleQuery' }],
  security: [],
  showsUsage: false,
  searchFailures: [...always, 'missing_app_identifier', 'unauthorized'],
  fetchFailures: [...always, ...fetching, 'missing_app_identifier'],
}

/** The operations that need no credential: E2, E4, history and suggestions. */
export const keylessPaths: Paths = {
  ...searchAndFetch(keyless),
  ...history(keyless, 'history_public', ['missing_app_identifier']),
  '/v1/suggest': {
    get: {
      operationId: 'suggest',
      summary: 'Suggest titles and sites of the newest pages for the beginning of a query',
      security: [],
      parameters: queryParameters(suggestRequest),
      responses: { '200': answer('The suggestions, best first.', 'SuggestResponse'), ...failures(always) },
    },
  },
}
