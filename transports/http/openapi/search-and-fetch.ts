import { fetchRequest, historyRequest, searchRequest, type WireErrorName } from '../../../service/index.ts'
import { json, queryParameters } from './json-schema.ts'
import type { DescribedResponse, Paths } from './operation.ts'
import { always, answer, failures } from './responses.ts'
import type { WayIn } from './way-in.ts'

function withHeader(response: DescribedResponse, name: string, description: string): DescribedResponse {
  return { ...response, headers: { ...response.headers, [name]: { description, schema: { type: 'string' } } } }
}

const searched = withHeader(
  answer('Ranked results.', 'SearchResponse'),
  'X-Asof-Receipt',
  'Compact JSON: the state of the index that the answer was made from. The same receipt means the same answer.',
)

const fetched = withHeader(
  answer('The page.', 'FetchResponse'),
  'X-Asof-Reader',
  'The reader that answered a `prompt`: `llm` or `extractive`.',
)

/** The description of a 200, with the usage header on routes that charge an account. */
function answered(response: DescribedResponse, showsUsage: boolean): DescribedResponse {
  if (!showsUsage) return response
  const description = 'Compact JSON: the charge of the call, with `sku`, `amount`, `credits` and `paid`.'
  return withHeader(response, 'X-Asof-Usage', description)
}

/** Search and fetch on one way in. */
export function searchAndFetch(way: WayIn): Paths {
  const { path, operationIds, kind, parameters, security, showsUsage, searchFailures, fetchFailures, ownFailures } = way
  return {
    [`/v1${path.before}/search${path.after}`]: {
      post: {
        operationId: operationIds.searchPost,
        summary: `Search, ${kind}`,
        security,
        parameters,
        requestBody: { required: true, content: json('SearchRequest') },
        responses: {
          '200': answered(searched, showsUsage),
          ...failures([...searchFailures, 'payload_too_large'], ownFailures?.search),
        },
      },
      get: {
        operationId: operationIds.searchGet,
        summary: `Search, ${kind}, parameters in the query string`,
        security,
        parameters: [...parameters, ...queryParameters(searchRequest)],
        responses: { '200': answered(searched, showsUsage), ...failures(searchFailures, ownFailures?.search) },
      },
    },
    [`/v1${path.before}/fetch${path.after}`]: {
      get: {
        operationId: operationIds.fetch,
        summary: `Fetch one page as markdown, ${kind}`,
        security,
        parameters: [...parameters, ...queryParameters(fetchRequest)],
        responses: { '200': answered(fetched, showsUsage), ...failures(fetchFailures, ownFailures?.fetch) },
      },
    },
  }
}

/** The list of versions of a page on one way in. It is free of charge. */
export function history(
  { path, kind, parameters, security }: WayIn,
  operationId: string,
  refusals: readonly WireErrorName[],
): Paths {
  return {
    [`/v1/history${path.after}`]: {
      get: {
        operationId,
        summary: `List the versions of one page and what each changed, ${kind}; free of charge`,
        security,
        parameters: [...parameters, ...queryParameters(historyRequest)],
        responses: {
          '200': answer('The versions.', 'HistoryResponse'),
          ...failures([...always, ...refusals, 'not_indexed']),
        },
      },
    },
  }
}
