import type { WireErrorName } from '../../../service/index.ts'
import { json } from './json-schema.ts'
import type { Paths } from './operation.ts'
import { always, answer, failures } from './responses.ts'
import { history, searchAndFetch } from './search-and-fetch.ts'
import { fetching, type WayIn } from './way-in.ts'

const keyRefusals: readonly WireErrorName[] = ['unauthorized', 'insufficient_credits', 'forbidden']

const keyed: WayIn = {
  path: { before: '', after: '' },
  operationIds: { searchPost: 'search_post', searchGet: 'search_get', fetch: 'fetch' },
  kind: 'with an API key',
  parameters: [],
  security: [{ ApiKey: [] }, { BearerKey: [] }],
  showsUsage: true,
  searchFailures: [...always, ...keyRefusals, 'zdr_wizards_unsupported', 'zdr_unsupported_profile'],
  fetchFailures: [...always, ...fetching, ...keyRefusals, 'zdr_prompt_unsupported'],
}

/** The operations that need an API key: E1, E3, E5 and history. */
export const keyedPaths: Paths = {
  ...searchAndFetch(keyed),
  ...history(keyed, 'history', ['unauthorized', 'forbidden']),
  '/v1/feedback': {
    post: {
      operationId: 'feedback',
      summary: 'Rate the relevance of pages to a query',
      security: keyed.security,
      requestBody: { required: true, content: json('FeedbackRequest') },
      responses: {
        '200': answer('The feedback is stored.', 'FeedbackResponse'),
        ...failures([...always, 'unauthorized', 'forbidden', 'payload_too_large', 'not_found']),
      },
    },
  },
}
